import type { DataCipher } from '@app/infrastructure';
import { BadLines, BundleLineError, rejectionOf } from '../check/faults.js';
import { KINDS_IN_ORDER } from '../schema/bundle-schema.js';
import type { BundleKind, LineOf } from '../schema/bundle.js';
import { Batch, type Numbered, type Owner, type WriteLines } from './batch.js';
import type { LineResult } from './import-counts.js';
import { lockBatch } from './lock-batch.js';
import { emailKeys, segmentsOf } from './segments.js';
import type { Sql } from './table-writer.js';
import { STORES } from './tables.js';
import { writeBins, writeBrands, writeCategories, writeWarehouses } from './write-catalog.js';
import { writeCustomers } from './write-customers.js';
import { writeOrders } from './write-orders.js';
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
  customer: writeCustomers,
  order: writeOrders,
  stock: writeStock,
};

/**
 * For a transaction that has its turn, and is rolled back after an error.
 *
 * @throws BadLines, BundleLineError
 */
export async function writeBatch(manager: Sql, cipher: DataCipher, lines: readonly Numbered[]): Promise<Written> {
  await lockBatch(manager, lines);
  return writeLocked(manager, cipher, lines);
}

async function writeLocked(manager: Sql, cipher: DataCipher, lines: readonly Numbered[]): Promise<Written> {
  const batch = new Batch(manager, cipher, await emailKeys(manager, lines));
  for (const segment of segmentsOf(lines, batch.emailKey)) await writeSegment(batch, segment);
  return { results: batch.results, warnings: batch.warnings };
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
  const sql = '/* import.stores.owners */ SELECT id, subdomain, currency FROM stores WHERE subdomain = ANY($1)';
  const owners = new Map((await batch.manager.query<Owner[]>(sql, [names])).map((owner) => [owner.id, owner]));
  const lines = new Map([...owners.values()].map((owner) => [owner, [] as Numbered[]]));
  for (const each of owned) {
    const owner = owners.get(idOf(each.number, { subdomain: each.line.store }, 'store'));
    if (owner) lines.get(owner)?.push(each);
  }
  return lines;
}

interface Written {
  readonly results: readonly LineResult[];
  /** About lines that are written, and may not do what was meant. */
  readonly warnings: readonly BundleLineError[];
}

export interface WrittenLines extends Written {
  readonly faults: readonly BundleLineError[];
}

/** Leaves out the bad lines. For a transaction that has its turn. */
export async function writeGoodLines(
  manager: Sql,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<WrittenLines> {
  // Before the savepoints: locking part by part would deadlock with orders.
  await lockBatch(manager, lines);
  return writeParts(manager, cipher, lines);
}

/** Repeats without the lines that are found to be bad. Halves the lines if only the database knows which one is. */
async function writeParts(manager: Sql, cipher: DataCipher, lines: readonly Numbered[]): Promise<WrittenLines> {
  if (lines.length === 0) return { results: [], warnings: [], faults: [] };
  try {
    return { ...(await inSavepoint(manager, () => writeLocked(manager, cipher, lines))), faults: [] };
  } catch (error) {
    const faults = faultsOf(error, lines);
    if (!faults) throw error;
    const bad = new Set(faults.map(({ line }) => line));
    const good = lines.filter(({ number }) => !bad.has(number));
    if (lines.length === 1 || rejectionOf(error) === null) {
      const { faults: others, ...written } = await writeParts(manager, cipher, good);
      return { ...written, faults: [...faults, ...others] };
    }
    const half = Math.ceil(lines.length / 2);
    const first = await writeParts(manager, cipher, lines.slice(0, half));
    const second = await writeParts(manager, cipher, lines.slice(half));
    const found = [...first.faults, ...second.faults];
    return {
      results: [...first.results, ...second.results],
      warnings: [...first.warnings, ...second.warnings],
      faults: found.length > 0 ? found : faults,
    };
  }
}

async function inSavepoint<T>(manager: Sql, work: () => Promise<T>): Promise<T> {
  await manager.query('SAVEPOINT part');
  try {
    return await work();
  } catch (error) {
    // The error of a lost connection is the first one.
    await manager.query('ROLLBACK TO SAVEPOINT part').catch(() => undefined);
    throw error;
  } finally {
    await manager.query('RELEASE SAVEPOINT part').catch(() => undefined);
  }
}

/** Null unless the error is about the lines. */
export function faultsOf(error: unknown, lines: readonly Numbered[]): readonly BundleLineError[] | null {
  if (error instanceof BadLines) return error.faults;
  if (error instanceof BundleLineError) return [error];
  const rejection = rejectionOf(error);
  const first = lines[0];
  const last = lines.at(-1);
  if (!rejection || !first || !last) return null;
  const others = first === last ? '' : ` together with the lines to ${last.number}`;
  return [new BundleLineError(first.number, `the database rejects it${others} (${rejection})`)];
}
