import type { Delivery } from './webhook.repository.js';

export interface Attempt extends Omit<Delivery, 'messageId' | 'type'> {
  /** What `Retry-After` of a 429 or 503 asks for; null = nothing. */
  readonly retryAfterMs: number | null;
}

/** A receiver of messages. Its connection stays open between them. */
export interface Receiver {
  /**
   * Sends one message. Never rejects. Ends within 25 seconds.
   *
   * @param headers in addition to those of every message.
   */
  post(headers: Readonly<Record<string, string>>, body: string): Promise<Attempt>;
  close(): void;
}

/** Reaches receivers, and nothing private. */
export abstract class WebhookSender {
  /**
   * Checks what needs no connection.
   *
   * @throws UrlNotAllowed unless the URL is https, on an allowed port, without credentials, and no private address.
   */
  abstract check(url: string): void;

  /** Each attempt looks up the host, and connects only to an address that was checked. */
  abstract open(url: string): Receiver;
}
