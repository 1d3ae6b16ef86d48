import type { EntityManager } from 'typeorm';
import type { DataCipher } from '../data-cipher.js';
import type { Numbered } from './batch.js';
import { writeBatch } from './batch-writer.js';
import { Tally } from './import-counts.js';

/** Thrown to roll back what a rehearsal has written. */
export class Undone extends Error {}

/**
 * Writes batches and undoes each at once, so that nothing stays locked for as long as a whole import takes. What later
 * batches may refer to is written again before them, and not counted again.
 */
export class Rehearsal {
  private readonly earlier: Numbered[] = [];

  /** Has the signature of {@link writeBatch}. @throws Undone when all went well. */
  readonly write = async (
    manager: EntityManager,
    cipher: DataCipher,
    lines: readonly Numbered[],
    tally: Tally,
  ): Promise<never> => {
    if (this.earlier.length > 0) await writeBatch(manager, cipher, this.earlier, new Tally());
    await writeBatch(manager, cipher, lines, tally);
    this.earlier.push(...lines.filter(({ line }) => line.kind !== 'product' && line.kind !== 'stock'));
    throw new Undone();
  };
}
