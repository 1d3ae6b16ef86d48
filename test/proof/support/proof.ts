import type { History } from './history.js';
import type { Rig } from './rig.js';

/**
 * How to add a proof: export it from `test/proof/<name>.ts`, name it in `test/proof/proofs.ts`, and give it a row in
 * docs/promises.md, which names the specs in which `npm test` looks at the promise. A full run fills the rest.
 *
 * Everything random comes from `context.random`, so that a seed repeats the attack. Return the figures that show the
 * attack, and every violation found. A proof whose precondition does not hold (no server to kill) throws.
 *
 * `quick` takes at most 8 s, with `openRig` 40; the mutants run it. If the row names no spec, it also runs in `quick-form.ts`.
 * Without `openRig` it has a shared PostgreSQL without durability there, and a shared pair of services: leave both as they were.
 *
 * See it fail: break the protection in a scratch copy, and run it.
 */
export interface Proof {
  readonly name: string;
  readonly fullOnly?: true;
  readonly missing?: (form: ProofForm) => Promise<readonly string[]>;
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
  readonly random: Random;
}

export interface ProofOutcome {
  readonly figures: string;
  readonly violations: readonly string[];
  /** What the proof ran on, when it is not the embedded PostgreSQL. */
  readonly engine?: string;
}
