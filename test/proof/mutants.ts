import { Laboratory } from './mutants/laboratory.js';
import type { Mutant } from './mutants/mutant.js';
import { MUTANTS } from './mutants/mutants.js';

/** @param names the names of the mutants; when empty, all. @returns the exit code: 0 when the proofs noticed all. */
export async function tryMutants(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`No mutant ${unknown.join()}; there are: ${MUTANTS.map(({ name }) => name).join(', ')}\n`);
    return 2;
  }
  const chosen = MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
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
