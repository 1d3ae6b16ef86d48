import { crash } from './crash.js';
import { dbdown } from './dbdown.js';
import { deadlock } from './deadlock.js';
import { idempotency } from './idempotency.js';
import { inputs } from './inputs.js';
import { oversell } from './oversell.js';
import { pipeline } from './pipeline.js';
import type { Proof } from './support/proof.js';

/** Every proof, in the order of the README's table. */
export const PROOFS: readonly Proof[] = [oversell, deadlock, idempotency, crash, dbdown, pipeline, inputs];
