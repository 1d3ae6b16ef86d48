import type { History } from './history.js';
import type { Rig } from './rig.js';

/**
 * How to add a proof
 *
 * 1. Write `test/proof/<name>.ts` with one exported `Proof` and add it to `test/proof/proofs.ts`. From then on
 *    `tsx test/proof/run.ts <name> [--quick] [--seed N]` runs it. Its row of docs/promises.md states the promise and the
 *    attack, and names the specs in which `npm test` looks at the promise. A full run fills the rest.
 * 2. `run` gets a context. Everything random comes from `context.random`, so that a seed repeats the attack.
 *
 *        const shop = await openShop(context, 3, [1_000]);                   // a store, two shared processes, its clients
 *        const own = await context.rig.startService({ databaseUrl: proxy.url, env: { DATABASE_POOL_SIZE: '2' } });
 *        const worker = await context.rig.startWorker({ env: { SMTP_URL: sink.url } });
 *        await shop.buyers.insist(shop.services, body, { key });             // retries 409, 503 and cut connections
 *        await own.kill(); const again = await context.rig.restart(own);     // kill -9, same port
 *        await context.rig.server?.kill(); await context.rig.server?.start();// the database; see rig.ts for null
 *        const violations = await askOracle(shop, { ... });                  // oracle.ts lists the invariants
 *
 * 3. Return the figures that show the attack, and every violation found. The runner adds the number of answers by status.
 *    A proof whose precondition does not hold (no server to kill) throws.
 * 4. `full` runs under `npm run proof`. `quick` takes at most 8 s; the mutants run it. If its row names no spec, it also
 *    runs in `quick-form.ts`, on a shared PostgreSQL without durability and with a shared pair of services: leave both as
 *    they were.
 * 5. See it fail: break the protection in a scratch copy, and run it.
 */
export interface Proof {
  readonly name: string;
  readonly fullOnly?: true;
  /** The packages of the operating system that the form needs and does not find. */
  readonly missing?: (form: ProofForm) => Promise<readonly string[]>;
  /** Default: a rig on one PostgreSQL. */
  readonly openRig?: () => Promise<Rig>;
  run(context: ProofContext): Promise<ProofOutcome>;
}

export type ProofForm = 'full' | 'quick';

/** Draws an integer from 0 up to, not including, its argument. */
export type Random = (below: number) => number;

export interface ProofContext {
  readonly form: ProofForm;
  readonly rig: Rig;
  readonly history: History;
  readonly seed: number;
  /** The seed repeats the draws. */
  readonly random: Random;
}

export interface ProofOutcome {
  readonly figures: string;
  /** One text per violation; empty when the promise was kept. */
  readonly violations: readonly string[];
  /** What the proof ran on, where it is not the embedded PostgreSQL. */
  readonly engine?: string;
}
