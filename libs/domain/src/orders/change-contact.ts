import { ContactTooLate, OrderCancelled } from '../errors.js';
import { ANALYSIS_UNAVAILABLE, type FraudAssessment, type FraudVerdict } from '../fraud/fraud-assessment.js';
import type { ContactPart } from '../fraud/fraud-facts.js';
import type { OrderChange } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { ShippingContact } from './order.js';
import type { PlacedOrder } from './placed-order.js';

/** Absent fields stay. */
export type ContactPatch = { readonly [Part in keyof ShippingContact]: Partial<ShippingContact[Part]> };

/** A corrected contact, and what the rules that look at its changed parts say, with the other reasons so far. */
export interface ScreenedContact {
  readonly contact: ShippingContact;
  /** ACCEPT when none of these rules fires: a person may have released the order. */
  readonly assessment: FraudAssessment;
  /** That of the order so far. */
  readonly before: FraudVerdict;
}

export function correctedContact({ customer, shippingAddress }: ShippingContact, patch: ContactPatch): ShippingContact {
  return {
    customer: { ...customer, ...patch.customer },
    shippingAddress: { ...shippingAddress, ...patch.shippingAddress },
  };
}

export function changedParts(before: ShippingContact, after: ShippingContact): ContactPart[] {
  const changed = changedFields(before, after);
  const parts: Readonly<Record<ContactPart, string>> = {
    email: 'customer.email',
    phone: 'customer.phone',
    address: 'shipping_address.',
  };
  return (Object.keys(parts) as ContactPart[]).filter((part) => changed.some((path) => path.startsWith(parts[part])));
}

/**
 * A contact that changed after its screening counts as one without an analysis.
 *
 * @param screened null = the order was placed without an analysis.
 * @throws OrderCancelled, ContactTooLate
 * @throws BeingPicked when the order must be held.
 */
export function changeContact(order: PlacedOrder, patch: ContactPatch, screened: ScreenedContact | null): OrderChange {
  const { contact: before } = order.state;
  const after = correctedContact(before, patch);
  const changed = changedFields(before, after);
  if (changed.length === 0) return order.unchanged();
  if (order.isCancelled) throw new OrderCancelled();
  if (order.hasShipped) throw new ContactTooLate();

  const isCurrent = screened !== null && changedFields(screened.contact, after).length === 0;
  const assessment = isCurrent ? screened.assessment : ANALYSIS_UNAVAILABLE;
  const corrected = { ...order.unchanged(), contact: after };
  if (screened === null || assessment.verdict === 'ACCEPT') {
    const kept = screened && { assessment: { ...assessment, verdict: screened.before } };
    return { ...corrected, events: [orderEvent('contact_changed', '', { changed })], ...kept };
  }
  order.assertNothingPicked();
  const rules = assessment.reasons.map(({ rule }) => rule);
  return {
    ...corrected,
    events: [orderEvent('contact_changed', '', { changed, rules })],
    review: 'held',
    // A person decides about an order that exists.
    assessment: { ...assessment, verdict: 'REVIEW' },
  };
}

/** Paths in the full order. */
function changedFields(before: ShippingContact, after: ShippingContact): string[] {
  const differences = <Part extends object>(path: string, one: Part, other: Part) =>
    (Object.keys(other) as (keyof Part & string)[])
      .filter((name) => one[name] !== other[name])
      .map((name) => `${path}.${name}`);
  return [
    ...differences('customer', before.customer, after.customer),
    ...differences('shipping_address', before.shippingAddress, after.shippingAddress),
  ];
}
