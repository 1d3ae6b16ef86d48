import type { ImportCounts } from '../bundle/write/import-counts.js';

/** A note to the operator about one product. */
export interface CatalogNote {
  /**
   * `refused`: its rows are invalid. `skipped`: this service does not sell it. `changed`: it is imported with an
   * adjustment. `doubtful`: a cell of the row was probably damaged before.
   */
  readonly outcome: 'refused' | 'skipped' | 'changed' | 'doubtful';
  readonly line: number;
  readonly reason: string;
}

/** The outcome of a catalog import or of its dry run. */
export interface CatalogReport {
  /** When true, nothing was written. */
  readonly dryRun: boolean;
  /** Rows of the file, excluding its header and empty rows. */
  readonly rows: number;
  /**
   * Totals of the imported products. `units` is the sum of all quantities, `drafts` counts products that no client
   * sees, `uncounted` counts products and variants without a quantity in the file.
   */
  readonly taken: Readonly<Record<'products' | 'drafts' | 'variants' | 'images' | 'units' | 'uncounted', number>>;
  /** Products that were not imported because their rows are invalid. */
  readonly refused: number;
  readonly skipped: number;
  readonly counts: Pick<ImportCounts, 'warehouse' | 'bin' | 'brand' | 'category' | 'product' | 'stock'>;
  /** Headers of the columns that the importer does not use. */
  readonly ignoredColumns: readonly string[];
  /** In file order. */
  readonly notes: readonly CatalogNote[];
  /** Number of notes beyond the listed ones. */
  readonly furtherNotes: number;
}

const MAX_NOTES = 1_000;

/**
 * Keeps the first notes of each outcome and counts the rest: a file may cause a note for each of its rows, and many
 * changed ones must not hide a refused one.
 */
export class Notes {
  private readonly kept: Record<CatalogNote['outcome'], CatalogNote[]> = {
    refused: [],
    skipped: [],
    changed: [],
    doubtful: [],
  };
  further = 0;

  add(note: CatalogNote): void {
    const alike = this.kept[note.outcome];
    if (alike.length < MAX_NOTES) alike.push(note);
    else this.further++;
  }

  /** In file order. */
  get listed(): CatalogNote[] {
    return Object.values(this.kept)
      .flat()
      .toSorted((a, b) => a.line - b.line);
  }
}
