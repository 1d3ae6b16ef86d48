import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import type { Batch, Numbered, Owner, WriteLines } from './batch.js';
import type { BundleLine } from '../schema/bundle.js';
import { emailKeys } from './email-keys.js';
import { BadLines, BundleLineError } from '../check/faults.js';
import { KINDS_IN_ORDER, type BundleKind, type Tally } from './import-counts.js';
import { KnownTargets } from './known-targets.js';
import { targetOf } from '../check/line-targets.js';
import { lockBatch } from './lock-batch.js';
import { segmentsOf } from './segments.js';
import { STORES } from './tables.js';
import { writeCategories } from './write-categories.js';
import { writeCustomers } from './write-customers.js';
import { writeOrders } from './write-orders.js';
import { writeBins, writeBrands, writeWarehouses } from './write-places.js';
import { writeProducts } from './write-products.js';
import { writeStock } from './write-stock.js';
import { writeStores } from './write-stores.js';

type LineOf<Kind extends BundleKind> = Extract<BundleLine, { kind: Kind }>;

const WRITERS: { readonly [Kind in Exclude<BundleKind, 'store'>]: WriteLines<LineOf<Kind>> } = {
  warehouse: writeWarehouses,
  bin: writeBins,
  brand: writeBrands,
  category: writeCategories,
  product: writeProducts,
  customer: writeCustomers,
  order: writeOrders,
  stock: writeStock,
};

/** Writes one batch within the caller's transaction. @throws BadLines with every line of the batch that is invalid. */
export async function writeBatch(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
  tally: Tally,
): Promise<void> {
  await lockBatch(manager, lines);
  const emailKey = await emailKeys(manager, lines);
  const batch: Batch = { manager, cipher, known: new KnownTargets(manager), tally, faults: [], emailKey };
  for (const segment of segmentsOf(lines, emailKey)) await writeSegment(batch, segment);
  if (batch.faults.length > 0) throw new BadLines(batch.faults.toSorted((a, b) => a.line - b.line));
}

async function writeSegment(batch: Batch, segment: readonly Numbered[]): Promise<void> {
  const stores = linesOf(segment, 'store');
  if (stores.length > 0) await writeGoodLines(batch, stores, (good) => writeStores(batch, good));
  const ownerOf = await findOwners(batch, segment);
  for (const kind of KINDS_IN_ORDER) {
    if (kind !== 'store') await writeKind(batch, segment, kind, ownerOf);
  }
}

async function writeKind<Kind extends Exclude<BundleKind, 'store'>>(
  batch: Batch,
  segment: readonly Numbered[],
  kind: Kind,
  ownerOf: (line: Numbered) => Owner,
): Promise<void> {
  const byStore = new Map<Owner, Numbered<LineOf<Kind>>[]>();
  for (const line of linesOf(segment, kind)) {
    const store = unlessBad(batch, () => ownerOf(line));
    if (!store) continue;
    const lines = byStore.get(store);
    if (lines) lines.push(line);
    else byStore.set(store, [line]);
  }
  for (const [store, lines] of byStore) {
    await writeGoodLines(batch, lines, (good) => WRITERS[kind](batch, store, good));
  }
}

/**
 * After the first bad line the batch is certain to be rolled back; writing continues only to find the other bad lines.
 * A bad line is replaced by its target, so that a line that refers to it does not count as bad as well.
 */
async function writeGoodLines<Line extends BundleLine>(
  batch: Batch,
  lines: readonly Numbered<Line>[],
  write: (lines: readonly Numbered<Line>[]) => Promise<void>,
): Promise<void> {
  const bad = new Set<number>();
  for (let rest = lines; ;) {
    try {
      return await write(rest);
    } catch (error) {
      if (!(error instanceof BundleLineError)) throw error;
      const { line: number } = error;
      const isTarget = bad.has(number);
      if (!isTarget) batch.faults.push(error);
      bad.add(number);
      if (!rest.some((each) => each.number === number)) throw error;
      rest = rest.flatMap((each) => {
        if (each.number !== number) return [each];
        const target = isTarget || each.line.kind === 'store' ? null : targetOf(each.line);
        return target ? [{ number, line: target as unknown as Line }] : [];
      });
    }
  }
}

function unlessBad<T>({ faults }: Batch, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BundleLineError)) throw error;
    faults.push(error);
    return null;
  }
}

function linesOf<Kind extends BundleKind>(segment: readonly Numbered[], kind: Kind): Numbered<LineOf<Kind>>[] {
  return segment.filter((each): each is Numbered<LineOf<Kind>> => each.line.kind === kind);
}

/**
 * The store of each line. @throws BundleLineError when a caller asks for the owner of a line whose store is unknown.
 */
async function findOwners({ manager, known }: Batch, segment: readonly Numbered[]): Promise<(line: Numbered) => Owner> {
  const names = new Set(segment.flatMap(({ line }) => ('store' in line ? [line.store] : [])));
  await known.load(
    STORES,
    0,
    Array.from(names, (subdomain) => ({ subdomain })),
  );
  const rows = await manager.query<Owner[]>(
    '/* import.stores.owners */ SELECT id, subdomain, currency FROM stores WHERE subdomain = ANY($1)',
    [[...names]],
  );
  const owners = new Map(rows.map((row) => [row.id, row]));
  return ({ number, line }) => {
    const subdomain = 'store' in line ? line.store : '';
    const id = known.get(STORES, 0, { subdomain }, { line: number, what: 'store', name: subdomain });
    return owners.get(id) as Owner;
  };
}
