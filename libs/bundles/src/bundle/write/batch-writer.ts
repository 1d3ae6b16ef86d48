import { DrawnIds, type DataCipher, type Sql } from '@app/infrastructure';
import { BadLines, BundleLineError, rejectionOf } from '../check/faults.js';
import { KINDS_IN_ORDER } from '../schema/bundle-schema.js';
import type { BundleKind, LineOf } from '../schema/bundle.js';
import { Batch, type Numbered, type Owner, type WriteLines } from './batch.js';
import type { LineResult } from './import-counts.js';
import { lockBatch } from './lock-batch.js';
import { emailKeys, segmentsOf } from './segments.js';
import type { TableWriter } from './table-writer.js';
import { STORES } from './tables.js';
import { writeBins, writeBrands, writeCategories, writeWarehouses } from './write-catalog.js';
import { writeCustomers } from './write-customers.js';
import { writeOrders } from './write-orders.js';
import { writeListPrices, writePriceLists, writeQuantityRules } from './write-prices.js';
import { writeProducts } from './write-products.js';
import { writeStock } from './write-stock.js';
import { writeStores } from './write-stores.js';

type OwnedKind = Exclude<BundleKind, 'store'>;

const WRITERS: { readonly [Kind in OwnedKind]: WriteLines<Kind> } = {
  warehouse: writeWarehouses,
  bin: writeBins,
  brand: writeBrands,
  category: writeCategories,
  product: writeProducts,
  price_list: writePriceLists,
  list_price: writeListPrices,
  quantity_rule: writeQuantityRules,
  customer: writeCustomers,
  order: writeOrders,
  stock: writeStock,
};

async function writeLocked(
  { sql, cipher }: WriteContext,
  lines: readonly Numbered[],
  drawnIds: DrawnIds,
): Promise<WrittenLines> {
  const batch = new Batch(sql, cipher, await emailKeys(sql, lines), drawnIds);
  for (const segment of segmentsOf(lines, batch.emailKey)) await writeSegment(batch, segment);
  const { results, warnings, faults, givenIds } = batch;
  return { results, warnings, faults, givenIds };
}

async function writeSegment(batch: Batch, segment: readonly Numbered[]): Promise<void> {
  await writeStores(batch, linesOf(segment, 'store'));
  const byOwner = await groupByOwner(batch, segment);
  for (const kind of KINDS_IN_ORDER) {
    if (kind === 'store') continue;
    for (const [store, lines] of byOwner) await writeKind(batch, store, lines, kind);
  }
}

async function writeKind<Kind extends OwnedKind>(
  batch: Batch,
  store: Owner,
  segment: readonly Numbered[],
  kind: Kind,
): Promise<void> {
  const lines = linesOf(segment, kind);
  if (lines.length > 0) await WRITERS[kind](batch, store, lines);
}

function linesOf<Kind extends BundleKind>(segment: readonly Numbered[], kind: Kind): Numbered<LineOf<Kind>>[] {
  return segment.filter((each): each is Numbered<LineOf<Kind>> => each.line.kind === kind);
}

async function groupByOwner(batch: Batch, segment: readonly Numbered[]): Promise<Map<Owner, Numbered[]>> {
  const owned = segment.flatMap(({ number, line }) => (line.kind === 'store' ? [] : [{ number, line }]));
  const names = [...new Set(owned.map(({ line }) => line.store))];
  const idOf = await batch.finder(
    STORES,
    0,
    names.map((subdomain) => ({ subdomain })),
  );
  const text = '/* import.stores.owners */ SELECT id, subdomain, currency FROM stores WHERE subdomain = ANY($1)';
  const owners = new Map((await batch.sql.query<Owner>(text, [names])).map((owner) => [owner.id, owner]));
  const lines = new Map([...owners.values()].map((owner) => [owner, [] as Numbered[]]));
  batch.good(owned, (each) => {
    const owner = owners.get(idOf(each.number, { subdomain: each.line.store }, 'store'));
    if (owner) lines.get(owner)?.push(each);
  });
  return lines;
}

export interface WrittenLines {
  readonly results: readonly LineResult[];
  /** Warnings about lines that are written but may not do what was intended. */
  readonly warnings: readonly BundleLineError[];
  /** The faults of the omitted lines. */
  readonly faults: readonly BundleLineError[];
  /** The highest id that a line has given to a new row, by table. */
  readonly givenIds: ReadonlyMap<TableWriter<number>, number>;
}

/**
 * The maximum number of rejections for which {@link writeParts} searches the bad line. More would take longer than a
 * request may last.
 */
const MAX_REJECTED = 20;

interface WriteContext {
  readonly sql: Sql;
  readonly cipher: DataCipher;
  readonly drawnIds: DrawnIds;
  /** The number of rejections so far: single lines, and beyond MAX_REJECTED, parts that were not halved. */
  rejected: number;
}

/** Writes the good lines and omits the bad ones, in a transaction that already has the import lock. */
export async function writeGoodLines(
  sql: Sql,
  cipher: DataCipher,
  lines: readonly Numbered[],
  drawnIds = new DrawnIds(),
): Promise<WrittenLines> {
  // The locks of all lines are taken before the first savepoint. Taken part by part, they could deadlock with orders.
  await lockBatch(sql, lines);
  return writeParts({ sql, cipher, drawnIds, rejected: 0 }, lines);
}

/**
 * Writes the lines in a savepoint. If the database rejects them, writes each half alone, because the error does not say
 * which line is bad. If the writer reports bad lines, writes the others again without them.
 */
async function writeParts(context: WriteContext, lines: readonly Numbered[]): Promise<WrittenLines> {
  const drawnIds = context.drawnIds.nested();
  try {
    const written = await inSavepoint(context.sql, () => writeLocked(context, lines, drawnIds));
    context.drawnIds.keep(drawnIds);
    return written;
  } catch (error) {
    drawnIds.returnUnused();
    if (error instanceof BadLines) {
      const bad = new Set(error.faults.map(({ line }) => line));
      const written = await writeParts(
        context,
        lines.filter(({ number }) => !bad.has(number)),
      );
      return { ...written, faults: [...error.faults, ...written.faults] };
    }
    const rejection = rejectionOf(error);
    if (rejection === null) throw error;
    if (lines.length === 1 || context.rejected >= MAX_REJECTED) {
      context.rejected++;
      return { results: [], warnings: [], faults: rejectionsOf(rejection, lines), givenIds: new Map() };
    }
    const half = Math.ceil(lines.length / 2);
    const first = await writeParts(context, lines.slice(0, half));
    const second = await writeParts(context, lines.slice(half));
    const found = [...first.faults, ...second.faults];
    return {
      results: [...first.results, ...second.results],
      warnings: [...first.warnings, ...second.warnings],
      faults: found.length > 0 ? found : rejectionsOf(rejection, lines),
      givenIds: highestOf(first.givenIds, second.givenIds),
    };
  }
}

function highestOf<Key>(first: ReadonlyMap<Key, number>, second: ReadonlyMap<Key, number>): Map<Key, number> {
  return new Map([...first, ...[...second].map(([key, id]) => [key, Math.max(id, first.get(key) ?? 0)] as const)]);
}

async function inSavepoint<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.query('SAVEPOINT part');
  try {
    return await work();
  } catch (error) {
    // If the connection is lost, the rollback fails too. The first error is the one to report.
    await sql.query('ROLLBACK TO SAVEPOINT part').catch(() => undefined);
    throw error;
  } finally {
    await sql.query('RELEASE SAVEPOINT part').catch(() => undefined);
  }
}

function rejectionsOf(rejection: string, lines: readonly Numbered[]): readonly BundleLineError[] {
  const what = lines.length === 1 ? 'it' : `lines ${lines[0]?.number} to ${lines.at(-1)?.number} together`;
  return lines.map(({ number }) => new BundleLineError(number, `the database rejects ${what} (${rejection})`));
}
