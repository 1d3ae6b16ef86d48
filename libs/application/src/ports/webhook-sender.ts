import type { Delivery } from './webhook.repository.js';

export interface Attempt extends Omit<Delivery, 'messageId' | 'type'> {
  /** The `Retry-After` of a 429 or 503 answer. */
  readonly retryAfterMs: number | null;
}

/** Keeps its connection open between messages. */
export interface Receiver {
  /**
   * Never rejects the promise, and ends within 25 seconds. @param headers are sent in addition to those of every
   * message.
   */
  post(headers: Readonly<Record<string, string>>, body: string): Promise<Attempt>;
  close(): void;
}

export abstract class WebhookSender {
  /**
   * @throws UrlNotAllowed unless the URL is https, on an allowed port, without credentials, and not at a private
   * address.
   */
  abstract check(url: string): void;

  /** Each attempt looks up the host, and connects only to a checked address. */
  abstract open(url: string): Receiver;
}
