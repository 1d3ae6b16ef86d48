import { changeContact, type ContactPatch, type ScreenedContact } from './change-contact.js';
import { changeMetadata, type MetadataChange } from './change-metadata.js';
import type { OrderChange } from './order-change.js';
import type { PlacedOrder } from './placed-order.js';

/** Either part may be empty. */
export interface OrderPatch {
  readonly metadata: MetadataChange;
  readonly contact: ContactPatch;
}

/**
 * Both parts, or neither when one is refused.
 *
 * @param screened null = no contact, or the order was placed without an analysis.
 * @throws what changeMetadata and changeContact throw.
 */
export function patchOrder(order: PlacedOrder, patch: OrderPatch, screened: ScreenedContact | null): OrderChange {
  const metadata = changeMetadata(order, patch.metadata);
  const contact = changeContact(order, patch.contact, screened);
  return {
    ...order.unchanged(),
    events: [...metadata.events, ...contact.events],
    effects: [...metadata.effects, ...contact.effects],
  };
}
