import type { BundleLine } from './bundle-line.js';
import { readProducts, survey, type FileOptions, type Row } from './catalog-file.js';
import type { CatalogProduct } from './catalog-format.js';
import { Invalid, NotSold, quoted } from './invalid.js';
import { linesOfProduct, type Destination } from './product-lines.js';
import type { Note, Report } from './report.js';

export interface Conversion extends FileOptions, Destination {
  /** Whether the lines create the bin and its warehouse. They name the warehouse by its code. */
  readonly createsBin: boolean;
  readonly now: Date;
  /** Receives the notes. */
  readonly noted: (note: Note) => void;
  /** Accumulates the counts. */
  readonly report: Report;
}

/**
 * Converts the product export of a shop to lines of a store bundle, each product with its stock. It converts the valid
 * products and notes the others with their lines.
 *
 * @throws Invalid or Error when the file does not have the format, before the first line.
 */
export async function* convert(options: Conversion): AsyncGenerator<BundleLine> {
  const { bin, createsBin, report, noted } = options;
  const found = await survey(options);
  report.rows = found.rows;
  report.ignoredColumns = found.header?.ignored ?? [];
  const columns = new Set(found.header?.columns.filter((column) => column !== null));
  if (bin !== null && createsBin) yield* placesOf(options.store, bin);
  const taken = new Taken();
  const shared = new Map<string, unknown>();
  const reportSuspect = (line: number, reason: string) => noted({ outcome: 'reportSuspect', line, reason });
  for await (const gathered of readProducts(options, found, reportSuspect)) {
    for (const rows of separated(gathered, options)) {
      const lines = convertProduct(rows, options, columns, taken);
      const [{ line } = { line: 0 }] = rows;
      yield* lines.filter((each) => isNew(each, shared, (reason) => noted({ outcome: 'changed', line, reason })));
    }
  }
}

function* placesOf(store: string, bin: string): Generator<BundleLine> {
  const [warehouse, code] = bin.split('/');
  yield { kind: 'warehouse', store, code: warehouse, name: warehouse };
  yield { kind: 'bin', store, warehouse, code };
}

function separated(rows: readonly Row[], { format }: Conversion): (readonly Row[])[] {
  // A row with a fault has no cells that distinguish a product from a part.
  if (rows.some(({ fault }) => fault !== null)) return [rows];
  return format.separate?.(rows) ?? [rows];
}

/** @returns no lines for a product that is noted instead. */
function convertProduct(
  rows: readonly Row[],
  options: Conversion,
  columns: ReadonlySet<string>,
  taken: Taken,
): BundleLine[] {
  const { format, now, noted, report } = options;
  const first = rows[0]?.line ?? 0;
  // Changes are noted only for a valid product: for a refused one, its single reason is enough.
  const changes: Note[] = [];
  try {
    const faulty = rows.find(({ fault }) => fault !== null);
    if (faulty) throw new Invalid(faulty.fault ?? '', faulty.line);
    const change = (line: number, reason: string) => changes.push({ outcome: 'changed', line, reason });
    const product = format.read(rows, { columns, now, noted: change });
    taken.assertFree(product);
    const lines = linesOfProduct(product, options);
    taken.add(product);
    count(report, product, lines);
    changes.forEach(noted);
    return lines;
  } catch (error) {
    if (!(error instanceof Invalid || error instanceof NotSold)) throw error;
    const outcome = error instanceof NotSold ? 'skipped' : 'refused';
    report[outcome]++;
    const line = error instanceof Invalid ? (error.line ?? first) : first;
    const all =
      rows.length > 1 ? `; none of the ${rows.length} rows of this product, from line ${first}, is converted` : '';
    noted({ outcome, line, reason: (error instanceof Invalid ? error.problem : error.message) + all });
    return [];
  }
}

/** The identities of the converted products, with their lines. */
class Taken {
  private readonly lines = new Map<string, number>();

  /** @throws Invalid when an earlier product of the file has the same slug, SKU or ID. */
  assertFree(product: CatalogProduct): void {
    for (const [what, value] of namesOf(product)) {
      const earlier = this.lines.get(`${what} ${value}`);
      if (earlier === undefined) continue;
      const problem = `the ${what} ${quoted(value)} is already in line ${earlier}, which is converted instead`;
      throw new Invalid(problem, product.line);
    }
  }

  add(product: CatalogProduct): void {
    for (const [what, value] of namesOf(product)) this.lines.set(`${what} ${value}`, product.line);
  }
}

const namesOf = ({ slug, unique }: CatalogProduct): (readonly [string, string])[] => [
  ...Object.entries(unique ?? {}),
  ['slug', slug],
];

/** Whether the line is the first of its brand or category. */
function isNew(
  { kind, slug, name }: BundleLine,
  known: Map<string, unknown>,
  noted: (reason: string) => void,
): boolean {
  if (kind !== 'brand' && kind !== 'category') return true;
  const key = `${kind} ${String(slug)}`;
  const earlier = known.get(key);
  if (earlier === undefined) known.set(key, name);
  else if (earlier !== name) noted(`the ${kind} ${JSON.stringify(name)} is read as ${JSON.stringify(earlier)}`);
  return earlier === undefined;
}

function count(report: Report, product: CatalogProduct, lines: readonly BundleLine[]): void {
  report.products++;
  if (product.status === 'DRAFT') report.drafts++;
  report.variants += product.variants.length;
  report.images += product.images?.length ?? 0;
  const sellables = product.variants.length > 0 ? product.variants : [product];
  report.uncounted += sellables.filter(({ quantity }) => quantity === null).length;
  for (const line of lines) if (line.kind === 'stock') report.units += Number(line['quantity']);
}
