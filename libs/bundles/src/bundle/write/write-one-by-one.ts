import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import type { Numbered } from './batch.js';
import { writeBatch } from './batch-writer.js';
import { BadLines, BundleLineError, rejectionOf } from '../check/faults.js';
import { Tally } from './import-counts.js';
import { targetOf } from '../check/line-targets.js';
import { lockBatch } from './lock-batch.js';

/**
 * Writes each line of a batch in a savepoint of its own, to find the lines that the database rejects. Has the signature
 * of {@link writeBatch}. @throws BadLines with every line of the batch that is invalid.
 */
export async function writeOneByOne(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<void> {
  // A savepoint locks the rows of its line only. Locking line by line would deadlock with orders.
  await lockBatch(manager, lines);
  const faults: BundleLineError[] = [];
  for (const each of lines) {
    const found = await faultsOf(manager, cipher, each);
    faults.push(...found);
    const target = found.length > 0 ? targetOf(each.line) : null;
    if (target) await faultsOf(manager, cipher, { number: each.number, line: target });
  }
  if (faults.length > 0) throw new BadLines(faults);
}

async function faultsOf(
  manager: EntityManager,
  cipher: DataCipher,
  line: Numbered,
): Promise<readonly BundleLineError[]> {
  try {
    await manager.transaction((savepoint) => writeBatch(savepoint, cipher, [line], new Tally()));
    return [];
  } catch (error) {
    if (error instanceof BadLines) return error.faults;
    const rejection = rejectionOf(error);
    if (!rejection) throw error;
    return [new BundleLineError(line.number, `the database rejects it (${rejection})`)];
  }
}
