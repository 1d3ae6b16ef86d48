import type { OrderRecord } from './order.repository.js';
import type { StoreProfile } from './store.repository.js';
import type { NotificationStage } from './order-pipeline.js';

/** Tells people about a placed order. */
export abstract class Notifier {
  /**
   * Sends the stage's message. Sending it twice is harmless: both carry the same id. Nothing is sent when there is no
   * address to send it to.
   *
   * @throws when the message could not be handed over, or when its address cannot be used (it goes to nobody else
   * then). The caller tries again. The error's `code` is the class of the failure (`SMTP_550`, `ETIMEDOUT`,
   * `EADDRESS`); its text names no person.
   */
  abstract notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<void>;
}
