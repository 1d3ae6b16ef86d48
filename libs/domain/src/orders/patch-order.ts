import { changeContact, type ContactPatch, type ScreenedContact } from './change-contact.js';
import { chargeAgain } from './change-lines.js';
import { changeMetadata, type MetadataChange } from './change-metadata.js';
import { effectOf, type OrderChange, type OrderTerms } from './order-change.js';
import { orderEvent } from './order-event.js';
import type { BilledContact } from './order.js';
import type { PlacedOrder } from './placed-order.js';
import type { ChargesOf } from './recharge.js';

/** Either part may be empty. */
export interface OrderPatch {
  readonly metadata: MetadataChange;
  readonly contact: ContactPatch;
  /** Absent fields keep their value. */
  readonly terms: Partial<OrderTerms>;
}

/**
 * Applies both parts, or neither when one is refused.
 * @param screened null when the patch has no contact, or the order was placed without an analysis.
 * @throws what changeMetadata, changeContact and chargeAgain throw.
 */
export function patchOrder(
  order: PlacedOrder,
  patch: OrderPatch,
  screened: ScreenedContact | null,
  chargesOf: ChargesOf,
): OrderChange {
  const metadata = changeMetadata(order, patch.metadata);
  const contact = changeContact(order, patch.contact, screened);
  const corrected = effectOf(contact, 'contact');
  const charges =
    corrected && isChargedOtherwise(order.state.contact, corrected)
      ? chargeAgain(order, corrected, chargesOf)
      : order.unchanged();
  const parts = [metadata, contact, charges, changeTerms(order, patch.terms)];
  return {
    ...charges,
    events: parts.flatMap(({ events }) => events),
    effects: parts.flatMap(({ effects }) => effects),
  };
}

/** Clients may correct their own order number and the payment method at any time. */
function changeTerms(order: PlacedOrder, patch: Partial<OrderTerms>): OrderChange {
  const { externalReference, paymentMethod } = order.state;
  const terms = { externalReference, paymentMethod, ...patch };
  const changed = (['externalReference', 'paymentMethod'] as const).filter((name) => terms[name] !== order.state[name]);
  if (changed.length === 0) return order.unchanged();
  return {
    ...order.unchanged(),
    events: [orderEvent('terms_changed', '', { changed })],
    effects: [{ kind: 'terms', ...terms }],
  };
}

/** The address fields that taxes and shipping may depend on. */
const CHARGED_BY = ['country', 'region', 'zip', 'vat_id'] as const;

function isChargedOtherwise(before: BilledContact, after: BilledContact): boolean {
  return (['shippingAddress', 'billingAddress'] as const).some((address) =>
    CHARGED_BY.some((field) => before[address][field] !== after[address][field]),
  );
}
