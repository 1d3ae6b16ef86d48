import { createHash } from 'node:crypto';

/** SHA-256 of a validated request. */
export function requestHashOf(request: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(request)).digest();
}
