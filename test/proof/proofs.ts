import { deadlock } from './deadlock.js';
import { idempotency } from './idempotency.js';
import { oversell } from './oversell.js';
import type { Proof } from './support/proof.js';

/** Every proof, in the order of the README's table. */
export const PROOFS: readonly Proof[] = [oversell, deadlock, idempotency];
