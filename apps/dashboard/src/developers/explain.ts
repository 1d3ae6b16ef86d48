import type { Webhook, WebhookListItem } from '../http.js';

type Delivery = Webhook['last_deliveries'][number];

/** By the code of Node or OpenSSL as docs/webhooks.md has them, or else by the phase. */
const FAILURES: readonly (readonly [codeOrPhase: RegExp, meaning: string])[] = [
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
  [/^address$/, 'The address of the receiver was not found.'],
  [/^connect$/, 'The receiver cannot be reached.'],
  [/^tls$/, 'No encrypted connection to the receiver was made.'],
  [/^request$/, 'The message did not arrive.'],
  [/^answer$/, 'The receiver did not answer.'],
];

/** By the status, or else by its first digit. */
const STATUSES: Readonly<Record<number, string>> = {
  401: 'The receiver asks who sends. Give the webhook the headers that it needs.',
  403: 'The receiver refuses the sender. Does it verify with the present secret?',
  404: 'The receiver does not know the address. Is the path right?',
  410: 'The receiver wants no more messages.',
  429: 'The receiver has too many messages. It is tried later.',
  2: 'Received.',
  3: 'The receiver has moved, and redirects are not followed. Give the webhook the new address.',
  4: 'The receiver refuses the message. Its log says why.',
  5: 'The receiver failed. Its log says why.',
};

/** What happened to a message, and what to do about it, in plain words. */
export function explain({ phase, status, answer }: Delivery): string {
  if (status !== null) return STATUSES[status] ?? STATUSES[Math.floor(status / 100)] ?? '';
  const find = (text: string) => FAILURES.find(([pattern]) => pattern.test(text))?.[1];
  return find(answer) ?? find(phase) ?? '';
}

export const REASONS: Readonly<Record<WebhookListItem['reason'], string>> = {
  '': '',
  requested: 'It was paused by a person or a program. Nothing is lost: resume it, and it continues where it stopped.',
  failing: 'The receiver failed for three days. Correct it, test it, then resume: it continues where it stopped.',
  gone: 'The receiver answered 410: it wants no more messages. Correct it, test it, then resume.',
  cursor_expired: 'Its place is more than 90 days old. Read the feed from its beginning, replay from then, and resume.',
};
