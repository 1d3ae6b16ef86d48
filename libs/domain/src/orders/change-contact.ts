import { BillingTooLate, ContactTooLate, OrderCancelled } from './change-errors.js';
import { ANALYSIS_UNAVAILABLE, rulesOf, type FraudAssessment, type FraudVerdict } from '../fraud/fraud-assessment.js';
import type { ContactPart } from '../fraud/fraud-facts.js';
import type { OrderChange, OrderEffect } from './order-change.js';
import { orderEvent, type OrderEvent } from './order-event.js';
import { isOpen } from './order-status.js';
import type { BillingAddress } from '../shared/postal-address.js';
import type { BilledContact, ShippingContact } from './order.js';
import type { PlacedOrder } from './placed-order.js';

/** Absent fields keep their value. */
export type ContactPatch = { readonly [Part in keyof ShippingContact]: Partial<ShippingContact[Part]> } & {
  readonly billingAddress?: Partial<BillingAddress>;
};

/**
 * A corrected contact, with the verdict of the rules that look at its changed parts and the earlier reasons of the
 * other rules.
 */
export interface ScreenedContact {
  readonly contact: ShippingContact;
  /** Is ACCEPT when none of these rules fires: a person may have released the order. */
  readonly assessment: FraudAssessment;
  /** The verdict of the order before the correction. */
  readonly before: FraudVerdict;
}

/** A billing address that equals the shipping address follows it, unless the patch names a billing field. */
export function correctedContact(before: BilledContact, patch: ContactPatch): BilledContact {
  const shippingAddress = { ...before.shippingAddress, ...patch.shippingAddress };
  const billsShipping = changedFields('', { name: '', ...before.shippingAddress }, before.billingAddress).length === 0;
  return {
    customer: { ...before.customer, ...patch.customer },
    shippingAddress,
    billingAddress: {
      ...(billsShipping ? { name: '', ...shippingAddress } : before.billingAddress),
      ...patch.billingAddress,
    },
  };
}

export function changedParts(before: ShippingContact, after: ShippingContact): ContactPart[] {
  const changed = shippingChanges(before, after);
  const parts: Readonly<Record<ContactPart, string>> = {
    email: 'customer.email',
    phone: 'customer.phone',
    address: 'shipping_address.',
  };
  return (Object.keys(parts) as ContactPart[]).filter((part) => changed.some((path) => path.startsWith(parts[part])));
}

/**
 * The contact and the shipping address may change while units are left to ship, the billing address until the order has
 * ended. A contact that changed after its screening is treated as one without an analysis.
 * @param screened null when the order was placed without an analysis.
 * @throws OrderCancelled, ContactTooLate, BillingTooLate
 * @throws BeingPicked when the order must be held.
 */
export function changeContact(order: PlacedOrder, patch: ContactPatch, screened: ScreenedContact | null): OrderChange {
  const { contact: before } = order.state;
  const after = correctedContact(before, patch);
  const changed = shippingChanges(before, after);
  const billing = billingChanges(order, patch);
  if (changed.length + billing.length === 0) return order.unchanged();
  if (order.isCancelled) throw new OrderCancelled();
  if (changed.length > 0 && order.hasShipped && order.unshippedUnits.length === 0) throw new ContactTooLate();
  if (billing.length > 0 && !isOpen(order.state)) throw new BillingTooLate();

  const screening = changed.length > 0 ? screeningOf(order, changed, after, screened) : { events: [], effects: [] };
  return {
    ...order.unchanged(),
    events: [
      ...screening.events,
      ...(billing.length > 0 ? [orderEvent('billing_changed', '', { changed: billing })] : []),
    ],
    effects: [{ kind: 'contact', ...after }, ...screening.effects],
  };
}

function screeningOf(
  order: PlacedOrder,
  changed: readonly string[],
  after: ShippingContact,
  screened: ScreenedContact | null,
): { events: OrderEvent[]; effects: OrderEffect[] } {
  const isCurrent = screened !== null && shippingChanges(screened.contact, after).length === 0;
  const assessment = isCurrent ? screened.assessment : ANALYSIS_UNAVAILABLE;
  if (screened === null || assessment.verdict === 'ACCEPT') {
    return {
      events: [orderEvent('contact_changed', '', { changed })],
      effects: screened ? [{ kind: 'assessment', ...assessment, verdict: screened.before }] : [],
    };
  }
  order.assertNothingPicked();
  const rules = rulesOf(assessment);
  return {
    events: [orderEvent('contact_changed', '', { changed, rules })],
    effects: [
      { kind: 'review', to: { heldFor: rules } },
      // The order already exists, so a person decides instead of the rule.
      { kind: 'assessment', ...assessment, verdict: 'REVIEW' },
    ],
  };
}

/** Returns paths in the full order. */
function shippingChanges(before: ShippingContact, after: ShippingContact): string[] {
  return [
    ...changedFields('customer.', before.customer, after.customer),
    ...changedFields('shipping_address.', before.shippingAddress, after.shippingAddress),
  ];
}

/** Returns the paths, in the full order, that the patch changes. */
function billingChanges({ state }: PlacedOrder, { billingAddress }: ContactPatch): string[] {
  const before = state.contact.billingAddress;
  return changedFields('billing_address.', before, { ...before, ...billingAddress });
}

function changedFields<Part extends object>(path: string, before: Part, after: Part): string[] {
  return (Object.keys(after) as (keyof Part & string)[])
    .filter((name) => before[name] !== after[name])
    .map((name) => path + name);
}
