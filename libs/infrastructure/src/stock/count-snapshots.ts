import type { StockLine } from '@app/application';
import type { CountFacts, ShipmentStatus } from '@app/domain';
import type { TransactionSql } from '../postgres/transaction-sql.js';
import { keyOf } from './stock-quantities.js';

export interface CountSnapshot {
  readonly position: number;
  /** A pg_snapshot as text. It sees exactly the transactions whose changes have positions up to this one. */
  readonly snapshot: string;
  /** Movements with ids up to this one precede every position of the branch. `lastEvent` is the same for events. */
  readonly lastMovement: number;
  readonly lastEvent: number;
}

export interface CountWithSnapshot extends CountSnapshot {
  readonly index: number;
  readonly bin_id: number;
  readonly product_id: number;
  readonly variant_key: number;
}

// Finds the newest snapshot at or before the cursor. The transactions that this snapshot sees are exactly those with
// positions up to it. A cursor inside the next numbering is refused, because the changes before it are not a set of
// whole transactions.
const FIND_SNAPSHOTS = `/* stock.find_count_snapshots */
  SELECT asked.branch, asked.position AS asked, numbered.position, numbered.snapshot::text,
    current.last_movement AS "lastMovement", current.last_event AS "lastEvent"
  FROM (SELECT * FROM change_branches ORDER BY number DESC LIMIT 1) AS current
  JOIN (SELECT DISTINCT * FROM unnest($2::uuid[], $3::bigint[]) AS each (branch, position)) AS asked
    ON asked.branch = current.id
  CROSS JOIN LATERAL (
    SELECT position, snapshot FROM feed_snapshots
    WHERE store_id = $1 AND branch = current.number AND position <= asked.position
    ORDER BY position DESC LIMIT 1
  ) AS numbered
  /* @protects numbered-place */
  WHERE numbered.snapshot IS NOT NULL AND asked.position <= coalesce((
    SELECT began_after FROM feed_snapshots
    WHERE store_id = $1 AND branch = current.number AND position > asked.position
    ORDER BY position LIMIT 1), asked.position)`;

type SnapshotRow = CountSnapshot & { readonly branch: string; readonly asked: number };

/** Returns one entry for each line: null without a cursor, undefined for a cursor at which no count is possible. */
export async function findCountSnapshots(
  sql: TransactionSql,
  storeId: number,
  lines: readonly StockLine[],
): Promise<(CountSnapshot | null | undefined)[]> {
  // @protects count-place
  const usable = lines.map(({ asOf }) => (asOf?.hasMore ? undefined : asOf));
  const asked = usable.flatMap((asOf) => asOf ?? []);
  const values = [storeId, asked.map(({ branch }) => branch), asked.map(({ position }) => position)];
  const rows = asked.length === 0 ? [] : await sql.query<SnapshotRow>(FIND_SNAPSHOTS, values);
  const found = new Map(rows.map(({ branch, asked: position, ...snapshot }) => [`${branch} ${position}`, snapshot]));
  return usable.map((asOf) => asOf && found.get(`${asOf.branch.toLowerCase()} ${asOf.position}`));
}

const isBefore = (id: string, last: string, transaction: string) =>
  `(${id} <= ${last} OR pg_visible_in_snapshot(${transaction}, counted.snapshot))`;
const COUNTED = `unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::pg_snapshot[], $7::bigint[], $8::bigint[])
    AS counted (line, product_id, variant_key, bin_id, snapshot, last_movement, last_event)`;

// The statement runs under the lock of the bins: what it does not see comes after this transaction. The lower bound of
// the transaction id limits the read of the index, because the snapshot sees all older transactions.
//
// The newest set or count decides: under the lock of a bin, the ids follow the order of writing. Older ones need no
// check. A count is accepted only if no set follows its position and no count that was written before it has a later
// position. So a set that precedes a position follows the positions of all counts that were written before the set.
const FACTS = `/* stock.count_facts */
  SELECT counted.line, since.units AS "movedSince", coalesce(absolute.is_overwritten, false) AS "isOverwritten",
    absolute.last_count AS "lastCount"
  FROM ${COUNTED}
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(quantity), 0) AS units FROM stock_movements AS moved
    WHERE moved.store_id = $1 AND moved.product_id = counted.product_id AND moved.variant_key = counted.variant_key
      AND moved.bin_id = counted.bin_id AND moved.transaction >= pg_snapshot_xmin(counted.snapshot)
      AND moved.kind <> 'COUNT' AND NOT ${isBefore('moved.id', 'counted.last_movement', 'moved.transaction')}
  ) AS since
  LEFT JOIN LATERAL (
    /* @protects count-branch */
    SELECT CASE WHEN kind = 'COUNT' AND moved.id > counted.last_movement THEN counted_at END AS last_count,
      kind <> 'COUNT' AND NOT ${isBefore('moved.id', 'counted.last_movement', 'moved.transaction')} AS is_overwritten
    FROM stock_movements AS moved
    WHERE moved.store_id = $1 AND moved.product_id = counted.product_id AND moved.variant_key = counted.variant_key
      AND moved.bin_id = counted.bin_id AND moved.kind = ANY ('{OPENING,SET,COUNT}')
    ORDER BY moved.id DESC LIMIT 1
  ) AS absolute ON true`;

// The statement finds the orders that were placed and not yet shipped at the position of the count. It starts from the
// movements of the counted bins, because a store may have many other open orders.
const UNSHIPPED = `/* stock.count_unshipped */
  WITH counted AS MATERIALIZED (
    SELECT * FROM ${COUNTED}
  ), unshipped AS MATERIALIZED (
    SELECT DISTINCT counted.line, moved.order_id
    FROM counted
    CROSS JOIN LATERAL (
      SELECT order_id FROM stock_movements AS moved
      WHERE moved.store_id = $1 AND moved.product_id = counted.product_id AND moved.variant_key = counted.variant_key
        AND moved.bin_id = counted.bin_id AND moved.kind = 'ORDER'
        AND ${isBefore('moved.id', 'counted.last_movement', 'moved.transaction')}
      OFFSET 0
    ) AS moved
    -- A sale at a point of sale may begin as DELIVERED.
    WHERE coalesce((
      SELECT to_value FROM order_events AS event
      WHERE event.store_id = $1 AND event.order_id = moved.order_id AND event.field = 'fulfillment_status'
        AND ${isBefore('event.id', 'counted.last_event', 'event.transaction')}
      ORDER BY event.id DESC LIMIT 1), (
      SELECT from_value FROM order_events AS event
      WHERE event.store_id = $1 AND event.order_id = moved.order_id AND event.field = 'fulfillment_status'
      ORDER BY event.id LIMIT 1), (
      SELECT fulfillment_status FROM orders WHERE orders.store_id = $1 AND orders.id = moved.order_id
    )) IN ('PENDING', 'CONFIRMED', 'PROCESSING')
  )
  SELECT counted.line, sum(taken.units - gone.units - cancelled.units)::bigint AS units
  FROM unshipped JOIN counted USING (line)
  CROSS JOIN LATERAL (
    SELECT coalesce(-sum(quantity), 0) AS units FROM (
      -- The index by order is used: the index by product would read all movements of the product for each order.
      SELECT * FROM stock_movements AS moved
      WHERE moved.store_id = $1 AND moved.order_id = unshipped.order_id AND moved.kind = 'ORDER'
      OFFSET 0
    ) AS moved
    WHERE moved.product_id = counted.product_id AND moved.variant_key = counted.variant_key
      AND moved.bin_id = counted.bin_id AND ${isBefore('moved.id', 'counted.last_movement', 'moved.transaction')}
  ) AS taken
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(item.quantity), 0) AS units
    FROM order_lines AS line
    JOIN shipment_items AS item
      ON item.store_id = $1 AND item.order_id = unshipped.order_id AND item.position = line.position
        AND item.bin_id = counted.bin_id
    WHERE line.store_id = $1 AND line.order_id = unshipped.order_id
      AND line.product_id = counted.product_id AND coalesce(line.variant_id, 0) = counted.variant_key
      -- This is the last status of the shipment before the position.
      AND (SELECT coalesce(event.details ->> 'to', event.details ->> 'status') FROM order_events AS event
        WHERE event.store_id = $1 AND event.order_id = unshipped.order_id AND event.reference = item.reference
          AND event.event IN ('shipment_created', 'shipment_changed')
          AND coalesce(event.details ->> 'to', event.details ->> 'status') IS NOT NULL
          AND ${isBefore('event.id', 'counted.last_event', 'event.transaction')}
        ORDER BY event.id DESC LIMIT 1) = ANY ($9::text[])
  ) AS gone
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(cancelled.quantity), 0) AS units
    FROM cancelled_units AS cancelled
    JOIN order_lines AS line USING (store_id, order_id, position)
    JOIN order_events AS event ON event.store_id = $1 AND event.order_id = unshipped.order_id AND event.id = cancelled.event
    WHERE cancelled.store_id = $1 AND cancelled.order_id = unshipped.order_id AND cancelled.bin_id = counted.bin_id
      AND line.product_id = counted.product_id AND coalesce(line.variant_id, 0) = counted.variant_key
      -- @protects cancelled-before
      AND ${isBefore('event.id', 'counted.last_event', 'event.transaction')}
  ) AS cancelled
  GROUP BY counted.line`;

function valuesOf(storeId: number, counts: readonly CountWithSnapshot[]): unknown[] {
  return [
    storeId,
    counts.map(({ index }) => index),
    counts.map(({ product_id }) => product_id),
    counts.map(({ variant_key }) => variant_key),
    counts.map(({ bin_id }) => bin_id),
    counts.map(({ snapshot }) => snapshot),
    counts.map(({ lastMovement }) => lastMovement),
    counts.map(({ lastEvent }) => lastEvent),
  ];
}

type MovedSince = Pick<CountFacts, 'movedSince' | 'isOverwritten' | 'lastCount'>;

/** Reads what has happened to the bins since the counts, by the index of the line. The caller has locked the bins. */
export async function readCountFacts(
  sql: TransactionSql,
  storeId: number,
  counts: readonly CountWithSnapshot[],
): Promise<Map<number, MovedSince>> {
  return queryEach(counts, async (distinct) => {
    const rows = await sql.query<MovedSince & { line: number }>(FACTS, valuesOf(storeId, distinct));
    return rows.map(({ line, ...facts }) => [line, facts]);
  });
}

/**
 * Reads the units of unshipped orders that were still in the bins at the count, by the index of the line.
 * @param goneStatuses the statuses of shipments whose units are no longer in their bins.
 */
export async function readUnshipped(
  sql: TransactionSql,
  storeId: number,
  counts: readonly CountWithSnapshot[],
  goneStatuses: readonly ShipmentStatus[],
): Promise<Map<number, number>> {
  return queryEach(counts, async (distinct) => {
    const values = [...valuesOf(storeId, distinct), goneStatuses];
    const rows = await sql.query<{ line: number; units: number }>(UNSHIPPED, values);
    return rows.map(({ line, units }) => [line, units]);
  });
}

/**
 * Queries each bin once: a request may count the same bin in every line, and all of them at the same position. The answers
 * are by the index of the line.
 */
async function queryEach<T>(
  counts: readonly CountWithSnapshot[],
  ask: (distinct: readonly CountWithSnapshot[]) => Promise<(readonly [number, T])[]>,
): Promise<Map<number, T>> {
  const distinct = new Map(counts.map((count) => [keyOf(count), count]));
  const answers = new Map(distinct.size === 0 ? [] : await ask([...distinct.values()]));
  return new Map(
    counts.flatMap((count) => {
      const answer = answers.get(distinct.get(keyOf(count))?.index ?? count.index);
      return answer === undefined ? [] : [[count.index, answer] as const];
    }),
  );
}
