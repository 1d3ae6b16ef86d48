import {
  StockChanges,
  type ChangedStock,
  type InvalidLine,
  type StockChangeRequest,
  type StockLine,
  type StockLineResult,
} from '@app/application';
import {
  assertDated,
  BinStock,
  earliestOf,
  StockRefused,
  type CountBasis,
  type CountFacts,
  type StockOutcome,
  type StockRefusalCode,
} from '@app/domain';
import { Injectable, Logger } from '@nestjs/common';
import { Counter } from 'prom-client';
import { BulkLimiter } from '../postgres/bulk-limiter.js';
import { returningUnusedIds, type DrawnIds } from '../postgres/drawn-ids.js';
import { applyOnce, refusalsOf } from '../postgres/line-requests.js';
import { ServiceMetrics } from '../platform/service-metrics.js';
import { NOTIFY_SHORT_STOCK, type ShortStock } from '../mail/short-stock-mail.js';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { Database } from '../postgres/database.js';
import {
  findCountSnapshots,
  readCountFacts,
  readUnshipped,
  type CountSnapshot,
  type CountWithSnapshot,
} from './count-snapshots.js';
import { fills, findBinsOfLines, isNothing } from './limit-bins.js';
import { invalidLine, type ResolvedLine } from './resolve-lines.js';
import { keyOf, lockRows, MOVE, type StockKey } from './stock-quantities.js';

interface PlacedLine extends ResolvedLine {
  readonly row: StockKey;
  readonly input: StockLine;
  /** Null for a line without a cursor. */
  readonly snapshot: CountSnapshot | null;
}

@Injectable()
export class PostgresStockChanges extends StockChanges {
  private readonly logger = new Logger('Stock');
  private readonly shortUnits: Counter;
  private readonly spareIds = new Map<string, number[]>();

  constructor(
    private readonly database: Database,
    private readonly bulkLimiter: BulkLimiter,
    { registry }: ServiceMetrics,
  ) {
    super();
    this.shortUnits = new Counter({
      name: 'stock_count_short_units_total',
      help: 'Units that were sold although a count did not find them',
      registers: [registry],
    });
  }

  override async apply(request: StockChangeRequest): Promise<ChangedStock> {
    const { storeId, deadline } = request;
    const work = (sql: TransactionSql) =>
      returningUnusedIds(this.spareIds, (drawnIds) => apply(sql, request, drawnIds));
    const transact = () => this.database.transaction(storeId, work, deadline);
    const changed = await this.bulkLimiter.run(storeId, transact, deadline);
    if (changed.short > 0) {
      this.shortUnits.inc(changed.short);
      this.logger.warn(`Store ${storeId} oversold ${changed.short} units: counts found less stock than was sold`);
    }
    return changed;
  }
}

async function apply(sql: TransactionSql, request: StockChangeRequest, drawnIds: DrawnIds): Promise<ChangedStock> {
  let short = 0;
  const applied = await applyOnce(sql, 'stock', request, async () => {
    const changed = await change(sql, request, drawnIds);
    short = changed.short.reduce((sum, { units }) => sum + units, 0);
    return changed.results;
  });
  return { ...applied, short };
}

/** Returns the newest position at which the request counts each bin. */
function newestPositions(placed: readonly PlacedLine[]): ReadonlyMap<string, number> {
  const positions = new Map<string, number>();
  for (const { row, snapshot } of placed) {
    if (snapshot) positions.set(keyOf(row), Math.max(snapshot.position, positions.get(keyOf(row)) ?? 0));
  }
  return positions;
}

interface Changed {
  readonly results: readonly StockLineResult[];
  readonly short: readonly ShortStock[];
}

async function change(sql: TransactionSql, request: StockChangeRequest, drawnIds: DrawnIds): Promise<Changed> {
  const { storeId, lines } = request;
  assertDated(request.at ?? null, earliestOf(new Date()));
  const snapshots = await findCountSnapshots(sql, storeId, lines);
  const resolved = await findBinsOfLines(sql, request, snapshots, drawnIds);
  const placed = resolved.flatMap((line, index): PlacedLine[] => {
    const input = lines[index];
    const snapshot = snapshots[index];
    if (!input || line.binId === null || line.productId === null || snapshot === undefined) return [];
    const row = { bin_id: line.binId, product_id: line.productId, variant_key: line.variantId ?? 0 };
    return [{ ...line, row, input, snapshot }];
  });
  // A request reads the movements of a bin once, whatever cursors its counts have.
  const newest = newestPositions(placed);
  const counts = placed.flatMap(({ index, row, snapshot, input }) =>
    snapshot && snapshot.position === newest.get(keyOf(row))
      ? // @protects count-basis
        [{ index, ...row, ...snapshot, basis: input.write.kind === 'count' ? input.write.basis : null }]
      : [],
  );
  const countsOf = (asked: CountBasis) => counts.filter(({ basis }) => basis === asked);
  // These units are read before the lock: they are in the past, and the read takes longer the more orders are open.
  // Orders wait only for the rest.
  const unshipped = new Map([
    ...(await readUnshipped(sql, storeId, countsOf('on_hand'), ['shipped', 'delivered'])),
    // @protects picked-units
    ...(await readUnshipped(sql, storeId, countsOf('in_bin'), ['picking', 'shipped', 'delivered'])),
  ]);
  const bins = await lockBins(sql, storeId, placed);
  const facts = await factsOf(sql, storeId, counts, unshipped);

  const outcomes = new Map<number, StockOutcome>();
  for (const line of placed) {
    const bin = bins.get(keyOf(line.row)) ?? new BinStock(0);
    outcomes.set(line.index, outcomeOf(bin, line, facts.get(line.index)));
  }
  const results = resolved.map((line) => toResult(line, lines[line.index]?.invalid ?? null, outcomes.get(line.index)));
  const refusals = refusalsOf(results);
  if (request.isAtomic && refusals.length > 0) throw new StockRefused(refusals);
  await write(sql, request, placed, outcomes);
  const short = shortOf(placed, outcomes);
  if (short.length > 0) await sql.query(NOTIFY_SHORT_STOCK, [storeId, JSON.stringify(short)]);
  return { results, short };
}

function shortOf(placed: readonly PlacedLine[], outcomes: ReadonlyMap<number, StockOutcome>): ShortStock[] {
  const counts = placed.filter(({ index, snapshot }) => snapshot !== null && outcomes.get(index)?.refusal === null);
  const last = new Map(counts.map((line) => [keyOf(line.row), line]));
  return [...last.values()].flatMap(({ index, sku, warehouse, bin, row }) => {
    const units = outcomes.get(index)?.short ?? 0;
    return units > 0 ? [{ ...row, sku, warehouse, bin, units }] : [];
  });
}

async function lockBins(
  sql: TransactionSql,
  storeId: number,
  placed: readonly PlacedLine[],
): Promise<Map<string, BinStock>> {
  const keys = placed.map(({ row }) => row);
  const filled = placed.filter(({ input }) => fills(input)).map(({ row }) => row);
  const { rows } = await lockRows((text, values) => sql.query(text, values), storeId, keys, filled);
  // A bin that has never held the product has no row.
  return new Map(keys.map(keyOf).map((key) => [key, new BinStock(rows.get(key) ?? 0)]));
}

async function factsOf(
  sql: TransactionSql,
  storeId: number,
  counts: readonly CountWithSnapshot[],
  unshipped: ReadonlyMap<number, number>,
): Promise<Map<number, CountFacts>> {
  if (counts.length === 0) return new Map();
  const facts = await readCountFacts(sql, storeId, counts);
  return new Map(
    counts.flatMap(({ index, position }) => {
      const found = facts.get(index);
      return found ? [[index, { ...found, position, unshipped: unshipped.get(index) ?? 0 }] as const] : [];
    }),
  );
}

function outcomeOf(bin: BinStock, { input: { write } }: PlacedLine, facts: CountFacts | undefined): StockOutcome {
  if (write.kind === 'adjust') return bin.adjust(write.by);
  if (write.kind === 'set') return bin.set(write.to, write.expected);
  return facts ? bin.count(write.counted, facts) : bin.supersede();
}

async function write(
  sql: TransactionSql,
  { storeId, actor, reference, reason, at = null }: StockChangeRequest,
  placed: readonly PlacedLine[],
  outcomes: ReadonlyMap<number, StockOutcome>,
): Promise<void> {
  const moved = placed.flatMap((line) => {
    const outcome = outcomes.get(line.index);
    if (!outcome || outcome.refusal || isNothing(line.input)) return [];
    return [{ ...line, kind: line.input.write.kind, difference: outcome.after - outcome.before }];
  });
  if (moved.length === 0) return;
  await sql.query(MOVE, [
    storeId,
    moved.map(({ row }) => row.bin_id),
    moved.map(({ row }) => row.product_id),
    moved.map(({ row }) => row.variant_key),
    moved.map(({ difference }) => difference),
    moved.map(({ kind }) => MOVEMENTS[kind]),
    moved.map(({ snapshot }) => snapshot?.position ?? null),
    actor.type,
    actor.id,
    actor.name,
    reference,
    reason,
    at,
  ]);
}

const MOVEMENTS = { adjust: 'ADJUSTMENT', set: 'SET', count: 'COUNT' } as const;

const EXPIRED: { readonly code: StockRefusalCode; readonly error: string } = {
  code: 'cursor_expired',
  error:
    'No count can be placed at this cursor: use the cursor of a newer answer with has_more: false, and count again',
};

function toResult(line: ResolvedLine, invalid: InvalidLine | null, outcome: StockOutcome | undefined): StockLineResult {
  const { index, binId: _binId, newBin: _newBin, refusal, ...unit } = line;
  const refused = (invalid && invalidLine(invalid)) ?? outcome?.refusal ?? refusal ?? (outcome ? null : EXPIRED);
  return {
    ...unit,
    line: index + 1,
    before: outcome?.before ?? null,
    after: outcome?.after ?? null,
    short: outcome?.short ?? 0,
    code: refused?.code ?? null,
    error: refused?.error ?? '',
  };
}
