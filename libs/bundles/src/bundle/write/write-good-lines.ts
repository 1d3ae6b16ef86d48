import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import { BadLines, BundleLineError, rejectionOf } from '../check/faults.js';
import { targetOf } from '../check/line-keys.js';
import type { Numbered } from './batch.js';
import { writeBatch } from './batch-writer.js';
import { sumOf, type ImportCounts } from './import-counts.js';
import { lockBatch } from './lock-batch.js';

/**
 * Writes a batch without its bad lines, to find them all. A bad line is replaced by its target, so that a line that
 * refers to it does not count as bad as well. Has the signature of {@link writeBatch}.
 *
 * @throws BadLines with every line of the batch that the store cannot have or the database rejects.
 */
export async function writeGoodLines(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<ImportCounts> {
  // A savepoint locks the rows of its lines only. Locking part by part would deadlock with orders.
  await lockBatch(manager, lines);
  const faults = await faultsIn(manager, cipher, lines);
  if (faults.length > 0) throw new BadLines(faults);
  return sumOf();
}

/** Writes the lines in a savepoint. If that fails, halves them, down to the bad lines. */
async function faultsIn(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<BundleLineError[]> {
  const fault = await faultOf(manager, cipher, lines);
  const [first] = lines;
  if (!fault || !first) return [];
  if (lines.length > 1) {
    const half = Math.ceil(lines.length / 2);
    const earlier = await faultsIn(manager, cipher, lines.slice(0, half));
    return [...earlier, ...(await faultsIn(manager, cipher, lines.slice(half)))];
  }
  const target = targetOf(first.line);
  if (target) await faultOf(manager, cipher, [{ number: first.number, line: target }]);
  return [fault];
}

async function faultOf(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<BundleLineError | null> {
  try {
    await manager.transaction((savepoint) => writeBatch(savepoint, cipher, lines));
    return null;
  } catch (error) {
    if (error instanceof BundleLineError) return error;
    const rejection = rejectionOf(error);
    if (!rejection) throw error;
    return new BundleLineError(lines[0]?.number ?? 0, `the database rejects it (${rejection})`);
  }
}
