import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import { BundleLineError, rejectionOf } from '../check/faults.js';
import type { Numbered } from './batch.js';
import { writeBatch } from './batch-writer.js';
import { sumOf, type ImportCounts } from './import-counts.js';
import { lockBatch } from './lock-batch.js';

export interface WrittenLines {
  readonly counts: ImportCounts;
  readonly faults: readonly BundleLineError[];
}

export async function writeGoodLines(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<WrittenLines> {
  // A savepoint locks the rows of its lines only. Locking part by part would deadlock with orders.
  await lockBatch(manager, lines);
  return writeParts(manager, cipher, lines);
}

/** Halves the lines until the bad ones are found. */
async function writeParts(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<WrittenLines> {
  try {
    return { counts: await manager.transaction((savepoint) => writeBatch(savepoint, cipher, lines)), faults: [] };
  } catch (error) {
    const fault = faultOf(error, lines);
    if (!fault) throw error;
    if (lines.length === 1) return { counts: sumOf(), faults: [fault] };
    const half = Math.ceil(lines.length / 2);
    const first = await writeParts(manager, cipher, lines.slice(0, half));
    const second = await writeParts(manager, cipher, lines.slice(half));
    const faults = [...first.faults, ...second.faults];
    return { counts: sumOf(first.counts, second.counts), faults: faults.length > 0 ? faults : [fault] };
  }
}

export function faultOf(error: unknown, lines: readonly Numbered[]): BundleLineError | null {
  if (error instanceof BundleLineError) return error;
  const rejection = rejectionOf(error);
  const first = lines[0];
  const last = lines.at(-1);
  if (!rejection || !first || !last) return null;
  const others = first === last ? '' : ` together with the lines to ${last.number}`;
  return new BundleLineError(first.number, `the database rejects it${others} (${rejection})`);
}
