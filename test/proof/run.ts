import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../support/seeded-random.js';
import { tryMutants } from './mutants.js';
import { NAMED_PROOFS, PROOFS } from './proofs.js';
import { History } from './support/history.js';
import type { Proof, ProofForm, ProofOutcome } from './support/proof.js';
import { failureFile, keepFigures, writeResult } from './support/results.js';
import { Rig } from './support/rig.js';
import type { Service } from './support/service.js';

// npm run proof -- [name…] [--quick] [--seed N]; exit 0 when all promises were kept. docs/promises.md has the names.

const SHOWN_VIOLATIONS = 20;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean' }, seed: { type: 'string' } },
  });
  if (positionals[0] === 'mutants') return tryMutants(positionals.slice(1));
  const form: ProofForm = values.quick ? 'quick' : 'full';
  const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
  const proofs = choose(positionals, form);
  if (proofs === null || !Number.isSafeInteger(seed)) {
    process.stderr.write(
      `Usage: npm run proof -- [${NAMED_PROOFS.map(({ name }) => name).join('|')}…] [--quick] [--seed N]\n`,
    );
    return 2;
  }
  for (const { name, missing } of proofs) {
    const packages = (await missing?.(form)) ?? [];
    if (packages.length > 0) {
      process.stderr.write(`${name} needs packages of the operating system that are missing: ${packages.join(', ')}\n`);
      return 2;
    }
  }
  let kept = true;
  for (const proof of proofs) kept = (await runOne(proof, form, seed)) && kept;
  return kept ? 0 : 1;
}

function choose(names: readonly string[], form: ProofForm): readonly Proof[] | null {
  const has = ({ fullOnly }: Proof) => !fullOnly || form === 'full';
  if (names.length === 0) return PROOFS.filter(has);
  const known = NAMED_PROOFS.filter(has);
  const chosen = names.map((name) => known.find((proof) => proof.name === name));
  return chosen.every((proof) => proof !== undefined) ? chosen : null;
}

async function runOne(proof: Proof, form: ProofForm, seed: number): Promise<boolean> {
  const start = Date.now();
  const history = new History();
  const { figures, violations, engine, processes } = await attempt(proof, form, seed, history);
  const seconds = Math.round((Date.now() - start) / 1_000);
  const verdict = violations.length === 0 ? 'PASS' : 'FAIL';
  const line = `${proof.name}: ${verdict} ${figures}; ${history.figures}; ${violations.length} violations (seed ${seed}, ${seconds} s)\n`;
  process.stdout.write(line);
  if (form === 'full') {
    keepFigures(line);
    const result = `${verdict === 'PASS' ? 'held' : '**FAILED**'}, ${seconds} s, ${new Date().toISOString().slice(0, 10)}`;
    writeResult(proof.name, engine === undefined ? result : `${result}, on ${engine}`);
  }
  if (verdict === 'PASS') return true;

  for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) process.stderr.write(`  ${violation}\n`);
  if (violations.length > SHOWN_VIOLATIONS) process.stderr.write(`  … ${violations.length - SHOWN_VIOLATIONS} more\n`);
  const file = failureFile(proof.name, seed);
  history.save(file);
  for (const [index, { log }] of processes.entries()) writeFileSync(`${file}.${index + 1}.log`, log);
  const name = path.relative(process.cwd(), file);
  process.stderr.write(`  every request and answer: ${name}; what the processes logged: ${name}.*.log\n`);
  return false;
}

interface Attempt extends ProofOutcome {
  readonly processes: readonly Service[];
}

async function attempt(proof: Proof, form: ProofForm, seed: number, history: History): Promise<Attempt> {
  let rig: Rig | null = null;
  try {
    rig = await (proof.openRig?.() ?? Rig.open());
    const outcome = await proof.run({ form, rig, history, seed, random: seededRandom(seed) });
    return { ...outcome, processes: rig.processes };
  } catch (error) {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const processes = rig?.processes ?? [];
    const ends = processes.flatMap(({ unwantedEnd }) => unwantedEnd ?? []);
    return { figures: 'could not be carried out to its end', violations: [...ends, reason], processes };
  } finally {
    await rig?.close();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
// A proof that could not be carried out to its end may have left clients behind.
process.exit(await main());
