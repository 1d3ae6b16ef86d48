import type { History } from './history.js';
import type { Rig } from './rig.js';

/**
 * How to add a proof
 *
 * 1. Write `test/proof/<name>.ts` with one exported `Proof` and add it to `test/proof/proofs.ts`. From then on
 *    `tsx test/proof/run.ts <name> [--quick] [--seed N]` runs it. docs/promises.md needs a row, which a full run fills.
 * 2. `run` gets a context. Everything random comes from `context.random`, so that a seed repeats the attack.
 *
 *        const store = await StoreFixture.create(context.rig.database);      // store-setup.ts has shelves and bodies
 *        const [one, two] = await context.rig.pair();                        // two service processes, shared
 *        const own = await context.rig.startService({ databaseUrl: proxy.url, env: { DATABASE_POOL_SIZE: '2' } });
 *        const worker = await context.rig.startWorker({ env: { SMTP_URL: sink.url } });
 *        const buyers = new Buyers(store, context.history, context.random);  // records every request and answer
 *        await buyers.insist([one, two], body, { key });                     // retries 409, 503 and cut connections
 *        await own.kill(); const again = await context.rig.restart(own);        // kill -9, same port
 *        await context.rig.server?.kill(); await context.rig.server?.start();// the database; see rig.ts for null
 *        const violations = await askOracle({ ... });                        // oracle.ts lists the invariants
 *
 * 3. Return the figures in words, and every violation found. Expected retries (409, 503, cut connections) are no
 *    violations but belong in the figures: `retriesOf(history)` words them. A proof whose precondition does not hold
 *    (no server to kill) throws.
 * 4. `full` runs under `npm run proof`. `quick` takes at most 8 s; the mutants run it. If no spec tests the same, it also
 *    runs in `quick-form.ts`, on a shared PostgreSQL without durability and with a shared pair of services: leave both as
 *    they were. Otherwise name the specs in `gate.ts`. A proof without a quick form says `quick: false`.
 * 5. See it fail: break the protection in a scratch copy, and run it.
 */
export interface Proof {
  readonly name: string;
  /** The promise, for docs/promises.md. */
  readonly promise: string;
  /** The attack of the full form, for docs/promises.md. */
  readonly attack: string;
  /** Whether it has a quick form. */
  readonly quick: boolean;
  /** The packages of the operating system that the form needs and does not find. */
  readonly missing?: (form: ProofForm) => Promise<readonly string[]>;
  /** Default: a rig on one PostgreSQL. */
  readonly openRig?: () => Promise<Rig>;
  run(context: ProofContext): Promise<ProofOutcome>;
}

export type ProofForm = 'full' | 'quick';

export interface ProofContext {
  readonly form: ProofForm;
  readonly rig: Rig;
  readonly history: History;
  readonly seed: number;
  /** Draws an integer from 0 up to, not including, its argument. The seed repeats the draws. */
  readonly random: (below: number) => number;
}

export interface ProofOutcome {
  /** The measured figures, on one line. */
  readonly figures: string;
  /** One text per violation; empty when the promise was kept. */
  readonly violations: readonly string[];
  /** What the proof ran on, where it is not the embedded PostgreSQL. */
  readonly engine?: string;
}
