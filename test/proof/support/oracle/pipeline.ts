import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../../../support/test-database.js';

/** The stages that every order has as rows. Others are done when it is placed, or follow from a change. */
const STAGES = ['notify-customer', 'notify-merchant'];
const DEADLINE_MS = 120_000;

// Only an order under review waits for a person. An order that was not analysed waits for a worker.
const UNSETTLED = `
  SELECT order_id, stage, state FROM order_stages JOIN fraud_assessments USING (store_id, order_id)
  WHERE store_id = $1 AND state NOT IN ('done', 'dead') AND NOT (state = 'held' AND verdict = 'REVIEW'
    AND NOT reasons @> '[{"rule": "analysis_unavailable"}]')
  ORDER BY order_id, stage`;

const INCOMPLETE = `
  SELECT id AS order_id, count(stage)::int AS stages FROM orders
  LEFT JOIN order_stages ON order_stages.store_id = orders.store_id AND order_id = id AND stage = ANY ($2)
  WHERE orders.store_id = $1 AND source = 'WEBSITE'
  GROUP BY id HAVING count(stage) <> cardinality($2::text[]) ORDER BY id`;

interface StageRow {
  readonly order_id: string;
  readonly stage: string;
  readonly state: string;
}

export function messageIdOf(
  { order_id, stage, reference }: { readonly order_id: string; readonly stage: string; readonly reference: string },
  subdomain: string,
): string {
  const about = reference && `-${createHash('sha256').update(reference).digest('hex').slice(0, 16)}`;
  return `${order_id}-${stage}${about}@${subdomain}.store-commerce`;
}

/** Invariant 5, without a worker: every order has all stages that notify. */
export async function incompleteViolations(database: TestDatabase, storeId: number): Promise<string[]> {
  const incomplete = await database.query<{ order_id: string; stages: number }>(INCOMPLETE, [storeId, STAGES]);
  return incomplete.map(({ order_id, stages }) => `order ${order_id} has ${stages} of ${STAGES.length} stages`);
}

/** Invariant 5, with a worker: every stage ends within 120 s of this call. Call it when the faults have ended. */
export async function settledViolations(
  database: TestDatabase,
  storeId: number,
  deadlineMs = DEADLINE_MS,
): Promise<string[]> {
  const giveUpAt = Date.now() + deadlineMs;
  for (;;) {
    const unsettled = await database.query<StageRow>(UNSETTLED, [storeId]);
    if (unsettled.length === 0) break;
    if (Date.now() > giveUpAt) {
      return unsettled.map(({ order_id, stage, state }) => `stage ${stage} of order ${order_id} is still ${state}`);
    }
    await delay(200);
  }
  return incompleteViolations(database, storeId);
}

/**
 * Checks invariant 5 for mails. Every order and the store must have an e-mail address. @param arrived counts by
 * Message-ID.
 */
export async function mailViolations(
  database: TestDatabase,
  storeId: number,
  arrived: ReadonlyMap<string, number>,
): Promise<string[]> {
  const stages = await database.query<StageRow & { reference: string; subdomain: string; is_void: boolean }>(
    `SELECT order_id, stage, reference, state, subdomain, EXISTS (
       SELECT FROM shipments AS shipment
       WHERE (shipment.store_id, shipment.order_id, shipment.reference) = (stages.store_id, order_id, stages.reference)
         AND status = 'void' AND stage = 'notify-shipment') AS is_void
     FROM order_stages AS stages JOIN stores ON stores.id = store_id
     WHERE store_id = $1 AND stage LIKE 'notify-%' ORDER BY order_id, stage`,
    [storeId],
  );
  const states = new Map(stages.map((row) => [messageIdOf(row, row.subdomain), row.state]));
  // There is nothing to report about a shipment that became void first.
  const missing = stages
    .filter(({ state, is_void }) => state === 'done' && !is_void)
    .map((row) => messageIdOf(row, row.subdomain))
    .filter((id) => !arrived.has(id));
  // A dead mail may have arrived. Workers on a shared database also send the mails of other stores.
  const own = stages[0] && `@${stages[0].subdomain}.store-commerce`;
  const strange = [...arrived.keys()].filter(
    (id) => (own === undefined || id.endsWith(own)) && (!states.has(id) || states.get(id) === 'held'),
  );
  return [
    ...missing.map((id) => `mail ${id} is marked done and never arrived`),
    ...strange.map((id) => `mail ${id} arrived and should not exist`),
  ];
}
