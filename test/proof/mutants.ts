import { parseArgs } from 'node:util';
import { Laboratory } from './mutants/laboratory.js';
import type { Mutant } from './mutants/mutant.js';
import { MUTANTS } from './mutants/mutants.js';

// Tests the proofs: breaks each protection in a scratch copy, one at a time, and fails unless the proof notices it.
// tsx test/proof/mutants.ts [name…]; exits with 0 when all were caught.

async function main(): Promise<number> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const unknown = positionals.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`No mutant ${unknown.join()}; there are: ${MUTANTS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const chosen = MUTANTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const laboratory = await Laboratory.open();
  process.once('exit', () => laboratory.close());
  await laboratory.checkUnchanged(chosen);
  let caught = 0;
  for (const mutant of chosen) if (await isCaught(laboratory, mutant)) caught++;
  process.stdout.write(`mutants: ${caught} of ${chosen.length} caught\n`);
  return caught === chosen.length ? 0 : 1;
}

async function isCaught(laboratory: Laboratory, mutant: Mutant): Promise<boolean> {
  const { passed, output, seconds } = await laboratory.try(mutant);
  const noticed = output.split('\n').find((line) => mutant.noticedAs.test(line));
  const isCaught = !passed && noticed !== undefined;
  const verdict = isCaught
    ? 'caught'
    : passed
      ? 'NOT CAUGHT, the proof passed'
      : 'NOT CAUGHT, the proof failed for another reason';
  process.stdout.write(`${mutant.name} → ${mutant.proof}: ${verdict}: ${noticed?.trim() ?? ''} (${seconds} s)\n`);
  if (!isCaught) process.stderr.write(`${output}\n`);
  return isCaught;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main();
