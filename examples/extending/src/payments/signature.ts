import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 300;

/**
 * Whether the provider has signed the body within the last 5 minutes. The header is `t=1764489600,v1=…`, where v1 is
 * the HMAC-SHA256 of `t.body` in hex. While the provider replaces a secret, it sends one v1 for each secret.
 */
export function isSigned(body: Buffer, header: string, secret: string, seconds = Date.now() / 1_000): boolean {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const valuesOf = (wanted: string) => parts.flatMap(([name, value = '']) => (name === wanted ? [value] : []));
  const [time = '', ...others] = valuesOf('t');
  if (!/^\d{1,12}$/.test(time) || others.length > 0) return false;
  if (Math.abs(seconds - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return valuesOf('v1')
    .map((signature) => Buffer.from(signature, 'hex'))
    .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}
