import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { FULL, QUICK, type StoreSizes } from '../stores/sizes.js';
import { COSTS, type Cost } from '../costs/costs.js';
import type { Plan } from '../works/rounds.js';
import { WORKS, type Work } from '../works/works.js';

export interface Options {
  readonly quick: boolean;
  readonly works: readonly Work[];
  readonly costs: readonly Cost[];
  /** Whether the run covers everything, and not only some works. */
  readonly all: boolean;
  /** A separate option, because a million orders take long. */
  readonly withImport: boolean;
  readonly jsonFile: string | null;
  readonly seed: number;
  readonly sizes: StoreSizes;
  readonly plan: Plan;
}

const NAMES = [...WORKS, ...COSTS].map(({ name }) => name);

export const USAGE = `Usage: run.ts [--quick] [--json FILE] [--only ${NAMES.join(',')}] [--seed N] [--import]`;

/** @throws Error for unknown arguments. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string' },
      import: { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error('--seed takes an integer');
  const isChosen = chosen(values.only);
  return {
    quick: values.quick,
    works: WORKS.filter(isChosen),
    costs: COSTS.filter(isChosen),
    all: values.only === undefined,
    withImport: values.import,
    jsonFile: values.json ?? null,
    seed,
    sizes: values.quick ? QUICK : FULL,
    plan: values.quick ? { warmUpSeconds: 0.4, rounds: 3, seconds: 0.5 } : { warmUpSeconds: 3, rounds: 5, seconds: 4 },
  };
}

/** Whether a work or a comparison is among the names. */
function chosen(only: string | undefined): (named: { readonly name: string }) => boolean {
  if (only === undefined) return () => true;
  const names = only.split(',').map((name) => name.trim().toLowerCase());
  const unknown = names.filter((name) => !NAMES.some((known) => known.toLowerCase() === name));
  if (unknown.length > 0) throw new Error(`Unknown work: ${unknown.join(', ')}`);
  return ({ name }) => names.includes(name.toLowerCase());
}
