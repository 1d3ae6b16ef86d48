export const MAX_WEBHOOK_HEADERS = 10;
export const MAX_HEADER_VALUE = 2_000;

const NAME = /^[a-z0-9-]{1,64}$/i;
/** Spaces are allowed only between other characters. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/;
/** These headers belong to the message, its signature or the connection. */
const RESERVED =
  /^(?:(?:content|proxy|webhook)-.*|connection|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

/** @returns what is wrong with the fixed headers of a webhook, by name; null when nothing is wrong. */
export function faultOfHeaders(headers: Readonly<Record<string, unknown>>): string | null {
  const names = Object.keys(headers);
  if (names.length > MAX_WEBHOOK_HEADERS) return `must have at most ${MAX_WEBHOOK_HEADERS} names`;
  if (!names.every((name) => NAME.test(name))) return 'must have names of 1 to 64 letters, digits and hyphens';
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return 'must have each name once';
  const reserved = names.find((name) => RESERVED.test(name));
  if (reserved !== undefined) return `must not have ${reserved}, which the service sets`;
  const malformed = names.find((name) => !isValue(headers[name]));
  if (malformed === undefined) return null;
  return `must have 1 to ${MAX_HEADER_VALUE} printable ASCII characters in ${malformed}, with spaces only between them`;
}

function isValue(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_HEADER_VALUE && VALUE.test(value);
}
