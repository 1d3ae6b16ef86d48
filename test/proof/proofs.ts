import { changes } from './changes.js';
import { crash } from './crash.js';
import { dbdown } from './dbdown.js';
import { deadlock } from './deadlock.js';
import { embedded } from './embedded.js';
import { failover } from './failover.js';
import { idempotency } from './idempotency.js';
import { inputs } from './inputs.js';
import { isolation } from './isolation.js';
import { life } from './life.js';
import { migrate } from './migrate.js';
import { move } from './move.js';
import { overload } from './overload.js';
import { oversell } from './oversell.js';
import { pipeline } from './pipeline.js';
import { revoke } from './revoke.js';
import { rolling } from './rolling.js';
import { secrets } from './secrets.js';
import { signIn } from './sign-in.js';
import { slowProxy } from './slow-proxy.js';
import { stock } from './stock.js';
import { webhooks } from './webhooks.js';
import type { Proof } from './support/proof.js';

/** In the order of docs/promises.md. `secrets` is last: it provokes errors, which stay in the shared logs. */
export const PROOFS: readonly Proof[] = [
  oversell,
  deadlock,
  idempotency,
  crash,
  dbdown,
  pipeline,
  life,
  stock,
  changes,
  webhooks,
  revoke,
  signIn,
  isolation,
  inputs,
  overload,
  rolling,
  migrate,
  move,
  embedded,
  secrets,
];

/** Includes the proofs that run by name only, because they need packages of the operating system. */
export const NAMED_PROOFS: readonly Proof[] = [...PROOFS, slowProxy, failover];
