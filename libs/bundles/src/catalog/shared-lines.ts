import type { Numbered } from '../bundle/write/batch.js';
import type { CatalogNote } from './catalog-report.js';

/** Passes each brand and category of a file on once, regardless of how many products use it. */
export class SharedLines {
  private readonly names = new Map<string, string>();

  constructor(private readonly noted: (note: CatalogNote) => void) {}

  /** Removes the brands and categories that were already passed on. */
  without(lines: readonly Numbered[]): Numbered[] {
    return lines.filter(({ number, line }) => {
      if (line.kind !== 'brand' && line.kind !== 'category') return true;
      const key = `${line.kind} ${line.slug}`;
      const earlier = this.names.get(key);
      if (earlier === undefined) this.names.set(key, line.name);
      else if (earlier !== line.name) {
        const reason = `the ${line.kind} ${JSON.stringify(line.name)} is read as ${JSON.stringify(earlier)}`;
        this.noted({ outcome: 'changed', line: number, reason });
      }
      return earlier === undefined;
    });
  }
}
