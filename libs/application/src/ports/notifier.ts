import type { OrderRecord } from './order.repository.js';
import type { StoreProfile } from './store.repository.js';
import type { NotificationStage } from './pipeline-stages.js';

/** No retry delivers the message: its address is unusable, or a mail server refuses it for good. */
export abstract class UndeliverableMessage extends Error {}

export abstract class Notifier {
  /**
   * Sends the stage's message, always with the same id. Sends nothing when the recipient has no address, or when there
   * is nothing left to report.
   * @param reference the shipment or refund that the stage is about; `''` for none.
   * @returns whether it sent a message.
   * @throws UndeliverableMessage
   * @throws when the message could not be handed over: the caller retries. The error's `code` is the class of the
   * failure (`SMTP_550`, `ETIMEDOUT`, `EADDRESS`); its text contains no personal data.
   */
  abstract notify(
    stage: NotificationStage,
    order: OrderRecord,
    store: StoreProfile,
    reference?: string,
  ): Promise<boolean>;
}
