import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import { BundleLineError, rejectionOf } from '../check/faults.js';
import { KINDS_IN_ORDER } from '../schema/bundle-schema.js';
import type { BundleKind, LineOf } from '../schema/bundle.js';
import { Batch, type Numbered, type Owner, type WriteLines } from './batch.js';
import { sumOf, type ImportCounts } from './import-counts.js';
import { lockBatch } from './lock-batch.js';
import { emailKeys, segmentsOf } from './segments.js';
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

/** The transaction must be rolled back after an error. @throws BundleLineError */
export async function writeBatch(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<WrittenLines> {
  await lockBatch(manager, lines);
  const batch = new Batch(manager, cipher, await emailKeys(manager, lines));
  for (const segment of segmentsOf(lines, batch.emailKey)) await writeSegment(batch, segment);
  return { counts: batch.counts, warnings: batch.warnings, faults: [] };
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

export interface WrittenLines {
  readonly counts: ImportCounts;
  readonly warnings: readonly BundleLineError[];
  readonly faults: readonly BundleLineError[];
}

export async function writeGoodLines(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<WrittenLines> {
  // A savepoint locks the rows of its lines only. Locking part by part would deadlock with orders.
  await lockBatch(manager, lines);
  return writeParts(manager, cipher, lines);
}

/** Halves the lines until the bad ones are found. */
async function writeParts(
  manager: EntityManager,
  cipher: DataCipher,
  lines: readonly Numbered[],
): Promise<WrittenLines> {
  try {
    return await manager.transaction((savepoint) => writeBatch(savepoint, cipher, lines));
  } catch (error) {
    const fault = faultOf(error, lines);
    if (!fault) throw error;
    if (lines.length === 1) return { counts: sumOf(), warnings: [], faults: [fault] };
    const half = Math.ceil(lines.length / 2);
    const first = await writeParts(manager, cipher, lines.slice(0, half));
    const second = await writeParts(manager, cipher, lines.slice(half));
    const faults = [...first.faults, ...second.faults];
    return {
      counts: sumOf(first.counts, second.counts),
      warnings: [...first.warnings, ...second.warnings],
      faults: faults.length > 0 ? faults : [fault],
    };
  }
}

export function faultOf(error: unknown, lines: readonly Numbered[]): BundleLineError | null {
  if (error instanceof BundleLineError) return error;
  const rejection = rejectionOf(error);
  const first = lines[0];
  const last = lines.at(-1);
  if (!rejection || !first || !last) return null;
  const others = first === last ? '' : ` together with the lines to ${last.number}`;
  return new BundleLineError(first.number, `the database rejects it${others} (${rejection})`);
}
