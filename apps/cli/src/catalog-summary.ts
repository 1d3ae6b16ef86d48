import type { CatalogReport } from '@app/bundles';

const KINDS = [
  ['brands', 'brand'],
  ['categories', 'category'],
  ['products', 'product'],
  ['stock counts', 'stock'],
  ['warehouses', 'warehouse'],
  ['bins', 'bin'],
] as const;

/** The report of a catalog import as text. */
export function catalogSummary(report: CatalogReport): string {
  const { dryRun, rows, taken, counts, notes, furtherNotes, ignoredColumns, refused, skipped } = report;
  const numbers = KINDS.map(([name, kind]) => {
    const { created, updated, unchanged } = counts[kind];
    return row(name, created, updated, unchanged);
  });
  const { products, drafts, variants, images, units, uncounted } = taken;
  const unstocked = uncounted === 1 ? '1 product or variant' : `${uncounted} products and variants`;
  const sizes = `${count(variants, 'variant')}, ${count(images, 'image')} and ${count(units, 'unit')}`;
  return [
    ...(dryRun ? ['Dry run: nothing was written. An import would do this:', ''] : []),
    row('', 'created', 'updated', 'unchanged'),
    ...numbers,
    '',
    `Taken from ${count(rows, 'row')}: ${count(products, 'product')} with ${sizes}.`,
    ...(drafts > 0 ? [`Drafts, which clients do not see: ${drafts} of the products.`] : []),
    ...(uncounted > 0 ? [`Without a quantity in the file, and out of stock until they get one: ${unstocked}.`] : []),
    `Not taken: ${count(refused, 'product')} refused, ${skipped} skipped.`,
    ...notes.map(({ outcome, line, reason }) => `  line ${line}: ${outcome}: ${reason}`),
    ...(furtherNotes > 0 ? [`  and ${furtherNotes} more`] : []),
    ...(ignoredColumns.length > 0 ? [`Columns not used: ${ignoredColumns.map(printable).join(', ')}`] : []),
  ].join('\n');
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

function row(name: string, ...cells: (string | number)[]): string {
  return name.padEnd(14) + cells.map((cell) => String(cell).padStart(10)).join('');
}

/** A header fit for display: text from a file must not control the terminal. */
const printable = (header: string): string => JSON.stringify(header).slice(1, -1);
