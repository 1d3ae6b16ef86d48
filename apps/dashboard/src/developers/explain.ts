import type { Schemas, Webhook, WebhookListItem } from '../http.js';

type Delivery = Webhook['last_deliveries'][number];

const PHASES: Readonly<Record<string, string>> = {
  address: 'The address of the receiver was not found.',
  connect: 'The receiver cannot be reached.',
  tls: 'No encrypted connection to the receiver was made.',
  request: 'The message did not arrive.',
  answer: 'The receiver did not answer.',
};

/** Codes of Node and OpenSSL, as docs/webhooks.md has them. */
const CODES: readonly (readonly [code: RegExp, meaning: string])[] = [
  [/^(ENOTFOUND|ENODATA)/, 'The host has no address in DNS. Is its name right?'],
  [/^ADDRESS_NOT_ALLOWED/, 'An address of the host is private. Only the operator of the service can permit it.'],
  [/^ECONNREFUSED/, 'Nothing listens at this host and port. Is the receiver running?'],
  [/^EHOSTUNREACH/, 'The host cannot be reached. Is there a firewall?'],
  [/^ECONNRESET/, 'The receiver closed the connection.'],
  [/^(EPROTO|ERR_SSL)/, 'The receiver does not speak https at this port.'],
  [/^CERT_HAS_EXPIRED/, 'The certificate of the receiver has expired. Renew it.'],
  [/^DEPTH_ZERO_SELF_SIGNED/, 'The certificate of the receiver is not of an authority that the service trusts.'],
  [/^UNABLE_TO_VERIFY/, 'The receiver does not send the intermediate certificate of its authority.'],
  [/^ERR_TLS_CERT_ALTNAME/, 'The certificate of the receiver is for another name.'],
  [/^TIMED_OUT/, 'It took too long. Let the receiver answer at once, and work afterwards.'],
  [/^NO_ANSWER/, 'The receiver sent something that is no answer of HTTP.'],
];

const STATUSES: Readonly<Record<number, string>> = {
  401: 'The receiver asks who sends. Give the webhook the headers that it needs.',
  403: 'The receiver refuses the sender. Does it verify with the present secret?',
  404: 'The receiver does not know the address. Is the path right?',
  410: 'The receiver wants no more messages.',
  429: 'The receiver has too many messages. It is tried later.',
};
const CLASSES: Readonly<Record<number, string>> = {
  2: 'Received.',
  3: 'The receiver has moved, and redirects are not followed. Give the webhook the new address.',
  4: 'The receiver refuses the message. Its log says why.',
  5: 'The receiver failed. Its log says why.',
};

/** What happened to a message, and what to do about it, in plain words. */
export function explain({ phase, status, answer }: Delivery): string {
  if (status !== null) return STATUSES[status] ?? CLASSES[Math.floor(status / 100)] ?? '';
  return CODES.find(([code]) => code.test(answer))?.[1] ?? PHASES[phase] ?? '';
}

export const REASONS: Readonly<Record<WebhookListItem['reason'], string>> = {
  '': '',
  requested: 'It was paused by a person or a program. Nothing is lost: resume it, and it continues where it stopped.',
  failing: 'The receiver failed for three days. Correct it, test it, then resume: it continues where it stopped.',
  gone: 'The receiver answered 410: it wants no more messages. Correct it, test it, then resume.',
  cursor_expired: 'Its place is more than 90 days old. Read the feed from its beginning, replay from then, and resume.',
};

/** What to do about the codes that integrations meet most. The guide has all of them. */
export const ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'The request is malformed: its answer says where. Correct the program.',
  unauthorized: 'The key is missing or wrong.',
  api_key_inactive: 'The program still uses a key that is revoked, off or expired. Give it another.',
  store_inactive: 'The store is off. Ask the operator of the service.',
  address_not_allowed: 'The key is used from another network. Is that you? If not, revoke it.',
  insufficient_scope: 'The key may not do this. Make one that may.',
  not_found: 'The path or id is wrong, or of the other mode.',
  out_of_stock: 'Stock is short. Reduce the quantities, or correct the stock.',
  item_unavailable: 'A product is unknown or inactive. Let the program read the products again.',
  price_changed: 'The buyer saw another price. Let the program ask again.',
  fraud_rejected: 'The fraud rules of the store reject the order.',
  order_held: 'The order is under review: release or cancel it first.',
  external_reference_taken: 'The order is there already: the program sent it twice.',
  idempotency_mismatch: 'The program used one Idempotency-Key for two requests.',
  exceeds_maker: 'A key cannot give more than it has.',
  throttled: 'The program sends too much. It must wait as Retry-After says.',
  overloaded: 'The service was busy. The program may repeat it.',
  internal_error: 'The service failed. Send the X-Request-Id to its operator.',
};

export interface Refusal {
  readonly key: string;
  readonly name: string;
  readonly code: string;
  times: number;
  readonly last: string;
}

/** By key and code, the most frequent first. The days come newest first. */
export function refusalsOf(days: readonly Schemas['KeyUse'][]): Refusal[] {
  const found = new Map<string, Refusal>();
  for (const { key_id, name, day, refused } of days)
    for (const [code, times] of Object.entries(refused)) {
      const id = `${key_id} ${code}`;
      const refusal = found.get(id) ?? { key: key_id, name, code, times: 0, last: day };
      refusal.times += times;
      found.set(id, refusal);
    }
  return [...found.values()].sort((a, b) => b.times - a.times);
}
