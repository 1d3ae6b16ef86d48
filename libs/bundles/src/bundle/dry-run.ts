import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import type { Numbered } from './write/batch.js';
import type { writeBatch } from './write/batch-writer.js';
import type { BundleLine } from './schema/bundle.js';
import { BadLines } from './check/faults.js';
import { naturalKeys, referencesOf, targetOf, type EmailKey, type TargetLine } from './check/line-keys.js';
import { emailKeys } from './write/email-keys.js';
import type { ImportCounts } from './write/import-counts.js';
import { writeGoodLines } from './write/write-good-lines.js';

/** Thrown to roll back the writes of a dry run. */
export class DryRunComplete extends Error {
  constructor(readonly counts: ImportCounts) {
    super();
  }
}

/** A line of an earlier batch, and the keys of the lines that it depends on. */
interface Earlier extends Numbered<TargetLine> {
  readonly needs: readonly string[];
}

/**
 * Writes batches and rolls each back at once, so that locks last for one batch and not for the whole import. Before a
 * batch, it rewrites the lines of earlier batches that the batch depends on, without counting them. Memory holds the
 * keys of all earlier lines.
 */
export class DryRun {
  private readonly earlier = new Map<string, Earlier>();

  /**
   * @param write writes the batch.
   * @returns a function with the signature of {@link writeBatch}, which throws DryRunComplete when every line was written.
   */
  write(write: typeof writeBatch) {
    return async (manager: EntityManager, cipher: DataCipher, lines: readonly Numbered[]): Promise<never> => {
      const targets = this.targetsOf(lines, await emailKeys(manager, lines));
      if (targets.length > 0) await writeGoodLines(manager, cipher, targets).catch(ignoreBadLines);
      throw new DryRunComplete(await write(manager, cipher, lines));
    };
  }

  /** Lets later batches depend on the lines. */
  async remember(manager: EntityManager, lines: readonly Numbered[]): Promise<void> {
    const emailKey = await emailKeys(manager, lines);
    for (const { number, line } of lines) {
      const target = targetOf(line);
      if (target) this.add(number, target, emailKey);
    }
  }

  private add(number: number, target: TargetLine, emailKey: EmailKey): void {
    const needs = needsOf(target, emailKey);
    const entry = { number, line: target, needs };
    for (const key of naturalKeys(target, emailKey)) {
      const known = this.earlier.get(key);
      if (!known || target.kind === 'customer') this.earlier.set(key, entry);
      // Keeps the number: a repeated line must not move behind the lines that refer to it. An order never changes.
      else if (target.kind !== 'order') this.earlier.set(key, { ...known, line: withVariantsOf(known.line, target) });
    }
  }

  private targetsOf(lines: readonly Numbered[], emailKey: EmailKey): Numbered[] {
    const found = new Set<Earlier>();
    const add = (keys: readonly string[]) => {
      for (const key of keys) {
        const target = this.earlier.get(key);
        if (!target || found.has(target)) continue;
        found.add(target);
        add(target.needs);
      }
    };
    for (const { line } of lines) add(needsOf(line, emailKey));
    return [...found].sort((a, b) => a.number - b.number);
  }
}

/** The keys of a line's references, and those of its own that must be unique. */
function needsOf(line: BundleLine, emailKey: EmailKey): string[] {
  const isIdentified = line.kind === 'order' || line.kind === 'customer';
  return [...referencesOf(line), ...(isIdentified ? naturalKeys(line, emailKey) : [])];
}

/** The import has already reported a bad line of an earlier batch. */
function ignoreBadLines(error: unknown): void {
  if (!(error instanceof BadLines)) throw error;
}

/** Keeps earlier variants: when a later line omits a variant it is retired, but lines can still refer to it. */
function withVariantsOf(known: TargetLine, line: TargetLine): TargetLine {
  if (line.kind !== 'product' || known.kind !== 'product' || !known.variants) return line;
  const bySku = new Map([...known.variants, ...(line.variants ?? [])].map((variant) => [variant.sku, variant]));
  return { ...line, variants: [...bySku.values()] };
}
