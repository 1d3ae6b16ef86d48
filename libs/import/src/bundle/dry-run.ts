import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import type { Numbered } from './batch.js';
import { writeBatch } from './batch-writer.js';
import type { BundleLine } from './bundle.js';
import { Tally } from './import-counts.js';
import { keyOf, referencesOf, targetOf, type TargetLine } from './line-targets.js';

/** Thrown to roll back the writes of a dry run. */
export class DryRunComplete extends Error {}

/**
 * Writes batches and rolls each back at once, so that locks last for one batch and not for the whole import. Before a
 * batch, it rewrites the lines of earlier batches that the batch refers to, without counting them. Memory holds the
 * keys of all earlier lines.
 */
export class DryRun {
  private readonly earlier = new Map<string, Numbered<TargetLine>>();

  /** Has the signature of {@link writeBatch}. @throws DryRunComplete when every line was written. */
  readonly write = async (
    manager: EntityManager,
    cipher: DataCipher,
    lines: readonly Numbered[],
    tally: Tally,
  ): Promise<never> => {
    const targets = this.targetsOf(lines);
    if (targets.length > 0) await writeBatch(manager, cipher, targets, new Tally());
    await writeBatch(manager, cipher, lines, tally);
    throw new DryRunComplete();
  };

  /** Lets later batches refer to the line. */
  remember(number: number, line: BundleLine): void {
    const target = targetOf(line);
    if (!target) return;
    const key = keyOf(target);
    const known = this.earlier.get(key)?.line;
    this.earlier.set(key, { number, line: known ? withVariantsOf(known, target) : target });
  }

  private targetsOf(lines: readonly Numbered[]): Numbered[] {
    const found = new Map<string, Numbered>();
    const add = (line: Numbered['line']) => {
      for (const key of referencesOf(line)) {
        const target = this.earlier.get(key);
        if (!target || found.has(key)) continue;
        found.set(key, target);
        add(target.line);
      }
    };
    for (const { line } of lines) add(line);
    return [...found.values()].sort((a, b) => a.number - b.number);
  }
}

/** Keeps earlier variants: when a later line omits a variant it is retired, but lines can still refer to it. */
function withVariantsOf(known: TargetLine, line: TargetLine): TargetLine {
  if (line.kind !== 'product' || known.kind !== 'product' || !known.variants) return line;
  const bySku = new Map([...known.variants, ...(line.variants ?? [])].map((variant) => [variant.sku, variant]));
  return { ...line, variants: [...bySku.values()] };
}
