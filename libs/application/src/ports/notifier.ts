import type { OrderRecord } from './order.repository.js';
import type { StoreProfile } from './store.repository.js';
import type { NotificationStage } from './pipeline-stages.js';

/** A message that cannot be delivered however often it is tried, such as one to an address that is none. */
export abstract class UndeliverableMessage extends Error {}

/** Tells people about a placed order. */
export abstract class Notifier {
  /**
   * Sends the stage's message. Sending it twice is harmless: both carry the same id. Nothing is sent when there is no
   * address to send it to.
   *
   * @throws UndeliverableMessage when its address cannot be used. It goes to nobody else, and is not tried again.
   * @throws when the message could not be handed over; the caller tries again. The error's `code` is the class of the
   *   failure (`SMTP_550`, `ETIMEDOUT`, `EADDRESS`); its text names no person.
   */
  abstract notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<void>;
}
