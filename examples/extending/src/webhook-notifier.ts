import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import {
  Notifier,
  UndeliverableMessage,
  type NotificationStage,
  type OrderRecord,
  type StoreProfile,
} from 'store-commerce/application';
import { isPublicAddress, lookupOf } from './public-addresses.js';

/** Below the 30 s limit of an attempt. */
const TIMEOUT_MS = 10_000;

/**
 * Tells another system of each order, as a signed POST. It may do so twice, with the same `webhook-id`. The receiver
 * computes the HMAC-SHA256 of `<id>.<timestamp>.<body>` with the secret, compares it with `webhook-signature`, and
 * refuses an old timestamp.
 */
export class WebhookNotifier extends Notifier {
  private readonly url: URL;

  /**
   * @param isAllowed decides about each address at which the host may be: a name that leads into this network reaches
   *   nothing here.
   * @throws when the URL contains an address that is not allowed.
   */
  constructor(
    url: string,
    private readonly secret: string,
    private readonly isAllowed: (address: string) => boolean = isPublicAddress,
  ) {
    super();
    this.url = new URL(url);
    // Node looks up names only.
    const host = this.url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !isAllowed(host)) throw new Error(`${host} is not a public address`);
  }

  override async notify(stage: NotificationStage, order: OrderRecord, store: StoreProfile): Promise<void> {
    if (stage !== 'notify-merchant') return;
    const status = await this.post(
      `${order.id}-${stage}`,
      JSON.stringify({ store: store.subdomain, order: order.id, receipt: order.receiptNumber }),
    );
    if (status >= 200 && status < 300) return;
    // A fault in the message itself is permanent; everything else, a redirect too, is retried for hours.
    if (status === 400 || status === 410) throw new RefusedByWebhook();
    throw Object.assign(new Error('The webhook did not accept the message'), { code: `HTTP_${status}` });
  }

  /** Returns the status, and reads nothing after it. */
  private async post(id: string, body: string): Promise<number> {
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', this.secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    const send = this.url.protocol === 'https:' ? secureRequest : plainRequest;
    const request = send(this.url, {
      method: 'POST',
      agent: false,
      lookup: lookupOf(this.isAllowed),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      },
    });
    try {
      const [response] = (await once(request.end(body), 'response')) as [IncomingMessage];
      return response.statusCode ?? 0;
    } finally {
      request.on('error', () => undefined).destroy();
    }
  }
}

class RefusedByWebhook extends UndeliverableMessage {
  readonly code = 'HTTP_REFUSED';
}
