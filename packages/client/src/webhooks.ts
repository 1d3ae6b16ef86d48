import type { components } from './api.js';

type Change = components['schemas']['Change'];

/** A resource that changed. */
export type WebhookChange = {
  readonly [Each in Change as Each['kind']]: Readonly<Pick<Each, 'kind' | 'id' | 'deleted'>> & {
    /** Present only with `body: full`: the record at the time of the delivery; null when `deleted`. */
    readonly record?: Each['data'];
  };
}[Change['kind']];

/** What a webhook sends. `cursor` is its place in the feed after the message; `timestamp` the time of the newest change. */
export type WebhookMessage =
  | {
      readonly type: `${Change['kind']}.${'changed' | 'deleted'}`;
      readonly timestamp: string;
      readonly data: WebhookChange & { readonly cursor: string };
    }
  /** Sent when `batch` exceeds 1. */
  | {
      readonly type: 'changes';
      readonly timestamp: string;
      readonly data: { readonly cursor: string; readonly changes: readonly WebhookChange[] };
    }
  | { readonly type: 'webhook.test'; readonly timestamp: string; readonly data: { readonly cursor: string } };

const SECRET_PREFIX = 'whsec_';
/** Shorter keys are not secret; an empty one would let everybody sign. */
const MIN_KEY_BYTES = 24;
const TOLERANCE_SECONDS = 300;

/** The sender is unknown, or the message is old: answer 401. */
export class WebhookRefused extends Error {}

/**
 * Checks that a message comes from the holder of a secret, within the last five minutes. A message may come again: it then
 * has the same `webhook-id`.
 *
 * @param secrets `whsec_…`; more than one while they are rotated.
 * @param headers with names in lower case, as Node has them.
 * @param rawBody as it was received: a parser that writes it anew breaks the signature.
 * @throws WebhookRefused
 */
export async function verifyWebhook(
  secrets: string | readonly string[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
  rawBody: string | Uint8Array,
): Promise<WebhookMessage> {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  const keys = await Promise.all([secrets].flat().map(keyOf));
  if (!id) throw new WebhookRefused('webhook-id is missing');
  const age = Math.floor(Date.now() / 1000) - Number(timestamp || NaN);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS))
    throw new WebhookRefused('webhook-timestamp is missing, old or in the future');

  const body = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody);
  const signed = new TextEncoder().encode(`${String(id)}.${String(timestamp)}.${body}`);
  const sent = String(signatures)
    .split(' ')
    .flatMap((each) => (each.startsWith('v1,') ? [bytesOf(each.slice(3))] : []));
  // The comparison takes constant time.
  const fits = keys.flatMap((key) => sent.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
  if (!(await Promise.all(fits)).includes(true)) throw new WebhookRefused('No signature matches');
  return JSON.parse(body) as WebhookMessage;
}

async function keyOf(secret: string) {
  const key = bytesOf(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '');
  if (key.length < MIN_KEY_BYTES) throw new Error('A webhook secret begins with whsec_');
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** @returns an empty array for a text that is not Base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
