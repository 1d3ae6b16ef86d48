import { createHash } from 'node:crypto';

/** SHA-256 of a validated request: a repeat of the request has the same. */
export function requestHashOf(request: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest();
}
