import {
  Notifier,
  UndeliverableMessage,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from 'store-commerce/application';

/** The timeout must be below the 30 s limit of an attempt. */
const TIMEOUT_MS = 10_000;

/**
 * Posts each order to a chat, such as Mattermost, possibly twice. The operator configures the URL, so it may point into
 * a private network. To notify other systems, use the service's webhooks.
 */
export class ChatNotifier extends Notifier {
  constructor(private readonly url: string) {
    super();
  }

  override async notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<boolean> {
    if (stage !== 'notify-merchant') return false;
    const { status, body } = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: `${store.subdomain}: new order ${order.receiptNumber} (${order.id})` }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // An unread answer keeps its connection open.
    await body?.cancel();
    if (status >= 200 && status < 300) return true;
    // A fault in the message itself is permanent; everything else, even a redirect, is retried for hours.
    if (status === 400 || status === 410) throw new RefusedByChat();
    throw Object.assign(new Error('The chat did not accept the message'), { code: `HTTP_${status}` });
  }
}

class RefusedByChat extends UndeliverableMessage {
  readonly code = 'HTTP_REFUSED';
}
