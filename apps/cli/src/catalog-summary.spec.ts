import type { CatalogReport } from '@app/bundles';
import { catalogSummary } from './catalog-summary.js';

const NONE = { created: 0, updated: 0, unchanged: 0 };

function summaryOf(number: number): string {
  const report: CatalogReport = {
    dryRun: false,
    rows: number,
    taken: { products: number, drafts: 0, variants: number, images: number, units: number, uncounted: number },
    refused: number,
    skipped: 0,
    counts: { warehouse: NONE, bin: NONE, brand: NONE, category: NONE, product: NONE, stock: NONE },
    ignoredColumns: [],
    notes: [],
    furtherNotes: 0,
  };
  return catalogSummary(report);
}

describe('the summary of a catalog import', () => {
  it('uses the singular for one', () => {
    expect(summaryOf(1)).toContain('Taken from 1 row: 1 product with 1 variant, 1 image and 1 unit.');
    expect(summaryOf(1)).toContain('out of stock until they get one: 1 product or variant.');
    expect(summaryOf(1)).toContain('Not taken: 1 product refused, 0 skipped.');
  });

  it('uses the plural for any other number', () => {
    expect(summaryOf(2)).toContain('Taken from 2 rows: 2 products with 2 variants, 2 images and 2 units.');
    expect(summaryOf(0)).toContain('Not taken: 0 products refused, 0 skipped.');
  });
});
