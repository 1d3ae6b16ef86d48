/** A note to the operator about one product. */
export interface Note {
  /**
   * `refused`: the rows are invalid. `skipped`: the service does not sell the product. `changed`: it is converted with
   * an adjustment. `reportSuspect`: a cell of the row was probably damaged earlier.
   */
  readonly outcome: 'refused' | 'skipped' | 'changed' | 'reportSuspect';
  readonly line: number;
  readonly reason: string;
}

export const emptyReport = () => ({
  /** Rows of the file, excluding its header and empty rows. */
  rows: 0,
  products: 0,
  /** Products that no client sees. */
  drafts: 0,
  variants: 0,
  images: 0,
  /** The sum of all quantities. */
  units: 0,
  /** Products and variants without a quantity in the file. */
  uncounted: 0,
  /** Products that were not converted because their rows are invalid. */
  refused: 0,
  skipped: 0,
  /** The headings of the unused columns. */
  ignoredColumns: [] as readonly string[],
});

/** Counts the results of the rows of a file. */
export type Report = ReturnType<typeof emptyReport>;

/** Returns the report as text. */
export function summaryOf(report: Report): string {
  const { rows, products, drafts, variants, images, units, uncounted, refused, skipped, ignoredColumns } = report;
  const unstocked = uncounted === 1 ? '1 product or variant' : `${uncounted} products and variants`;
  const sizes = `${count(variants, 'variant')}, ${count(images, 'image')} and ${count(units, 'unit')}`;
  return [
    `Taken from ${count(rows, 'row')}: ${count(products, 'product')} with ${sizes}.`,
    ...(drafts > 0 ? [`Drafts, which clients do not see: ${drafts} of the products.`] : []),
    ...(uncounted > 0 ? [`Without a quantity in the file, and out of stock until they get one: ${unstocked}.`] : []),
    `Not taken: ${count(refused, 'product')} refused, ${skipped} skipped.`,
    ...(ignoredColumns.length > 0 ? [`Columns not used: ${ignoredColumns.join(', ')}`] : []),
  ].join('\n');
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
