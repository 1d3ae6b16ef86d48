import type { ImportCounts } from '../bundle/import-counts.js';

/** Something that the operator should know of one product. */
export interface CatalogNote {
  /** `refused`: something is wrong with its rows. `skipped`: it is not sold here. `changed`: it is in, but not as it stands. */
  readonly outcome: 'refused' | 'skipped' | 'changed';
  readonly line: number;
  readonly reason: string;
}

/** What a catalog import did, or would do. */
export interface CatalogReport {
  /** Nothing was written. */
  readonly dryRun: boolean;
  /** Rows of the file, without its header and empty ones. */
  readonly rows: number;
  /**
   * What the products that were taken have; units are the sum of all quantities, `drafts` are the products that no
   * client sees, `uncounted` are products and variants of which the file has no quantity.
   */
  readonly taken: Readonly<Record<'products' | 'drafts' | 'variants' | 'images' | 'units' | 'uncounted', number>>;
  /** Products that were not taken. */
  readonly refused: number;
  readonly skipped: number;
  readonly counts: Pick<ImportCounts, 'warehouse' | 'bin' | 'brand' | 'category' | 'product' | 'stock'>;
  /** Headers of columns that are not used. */
  readonly ignoredColumns: readonly string[];
  /** In the order of the file. */
  readonly notes: readonly CatalogNote[];
  /** How many notes there are beyond those that are listed. */
  readonly furtherNotes: number;
}

const MAX_NOTES = 1_000;

/** Keeps the first notes and counts the others: a file may have a note for each of its rows. */
export class Notes {
  readonly listed: CatalogNote[] = [];
  further = 0;

  add(note: CatalogNote): void {
    if (this.listed.length < MAX_NOTES) this.listed.push(note);
    else this.further++;
  }
}
