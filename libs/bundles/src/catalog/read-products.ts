import type { Currency } from '@app/domain';
import type { Numbered } from '../bundle/write/batch.js';
import { BundleLineError, Fault } from '../bundle/check/faults.js';
import { NotSold, type CatalogFormat, type CatalogProduct, type ReadingContext } from './catalog-format.js';
import type { Notes } from './catalog-report.js';
import { linesOfProduct, type Destination } from './product-lines.js';
import type { ProductSlugs } from './product-slugs.js';
import type { StagedRow } from './staging.js';

/** A valid product, and the lines that write it. */
export interface ProductToWrite {
  readonly product: CatalogProduct;
  readonly slug: string;
  readonly lines: readonly Numbered[];
}

export interface ReaderOptions {
  readonly format: CatalogFormat;
  readonly currency: Currency;
  readonly columns: ReadonlySet<string>;
  readonly now: Date;
  readonly destination: Destination;
}

/** Reads products of the staged file. Notes the invalid ones and returns the others. */
export class ProductReader {
  readonly left = { refused: 0, skipped: 0 };

  constructor(
    private readonly options: ReaderOptions,
    private readonly slugs: ProductSlugs,
    private readonly notes: Notes,
  ) {}

  async read(staged: readonly (readonly StagedRow[])[]): Promise<ProductToWrite[]> {
    const read = staged
      .flatMap((rows) => this.separated(rows))
      .flatMap((rows) => {
        const product = this.unlessLeft(rows, () => this.productOf(rows));
        return product ? [{ rows, product }] : [];
      });
    await this.slugs.load(read.map(({ product }) => product));
    return read.flatMap(({ rows, product }) => {
      const written = this.unlessLeft(rows, () => {
        const slug = this.slugs.slugFor(product);
        const lines = linesOfProduct(product, rows[0]?.line ?? product.line, slug, this.options.destination);
        this.slugs.take(product, slug);
        return { product, slug, lines };
      });
      return written ? [written] : [];
    });
  }

  private separated(rows: readonly StagedRow[]): (readonly StagedRow[])[] {
    // A row with a fault has no cells that tell a product from a part.
    if (rows.some(({ fault }) => fault !== null)) return [rows];
    return this.options.format.separate?.(rows) ?? [rows];
  }

  private productOf(rows: readonly StagedRow[]): CatalogProduct {
    const faulty = rows.find(({ fault }) => fault !== null);
    if (faulty) throw new BundleLineError(faulty.line, faulty.fault ?? '');
    const { format, currency, columns, now } = this.options;
    // Reported only for a valid product: for a refused one, its one reason is enough.
    const notes: { line: number; reason: string }[] = [];
    const context: ReadingContext = { currency, columns, now, noted: (line, reason) => notes.push({ line, reason }) };
    const product = format.read(rows, context);
    for (const note of notes) this.notes.add({ outcome: 'changed', ...note });
    return product;
  }

  private unlessLeft<T>(rows: readonly StagedRow[], read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      const first = rows[0]?.line ?? 0;
      const all =
        rows.length > 1 ? `; none of the ${rows.length} rows of this product, from line ${first}, is imported` : '';
      if (error instanceof NotSold) this.leave('skipped', first, error.message + all);
      else if (error instanceof BundleLineError) this.leave('refused', error.line, error.problem + all);
      else if (error instanceof Fault) this.leave('refused', first, error.message + all);
      else throw error;
      return null;
    }
  }

  private leave(outcome: 'refused' | 'skipped', line: number, reason: string): void {
    this.left[outcome]++;
    this.notes.add({ outcome, line, reason });
  }
}
