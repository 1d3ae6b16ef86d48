import type { OrderRecord } from './order.repository.js';
import type { StoreProfile } from './store.repository.js';
import type { NotificationStage } from './pipeline-stages.js';

/** A message that no retry can deliver, because of its recipient: an unusable address, or one that a server refuses. */
export abstract class UndeliverableMessage extends Error {}

/** Notifies people of a placed or changed order. */
export abstract class Notifier {
  /**
   * Sends the stage's message. Sending it twice is harmless: both messages have the same id. Sends nothing when the
   * recipient has no address, or when there is nothing to tell any more.
   *
   * @param reference the shipment or refund that the stage is about; `''` for none.
   * @throws UndeliverableMessage when the address cannot be used, or a mail server refuses it for good. The message goes
   *   to no other address; do not retry.
   * @throws when the message could not be handed over; the caller retries. The error's `code` is the class of the
   *   failure (`SMTP_550`, `ETIMEDOUT`, `EADDRESS`); its text names no person.
   */
  abstract notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile, reference?: string): Promise<void>;
}
