import { KEY_EXPIRY_DAYS, LONG_WAIT_DAYS, StoreAttention, type AttentionCounts } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';

const OPEN = `ANY ('{PENDING,CONFIRMED,PROCESSING}')`;
const WAIT = `now() - interval '${LONG_WAIT_DAYS} days'`;

// All open orders come from the tally. Those that wait are all without the recent ones: the old ones may be most of the store.
const COUNT = `/* stores.attention */
  WITH held AS (
    SELECT count(*) AS rows, count(*) FILTER (WHERE fulfillment_status = ${OPEN}) AS open,
      count(*) FILTER (WHERE fulfillment_status = ${OPEN} AND created_at < ${WAIT}) AS old
    FROM orders WHERE store_id = $1 AND is_test = $2 AND id IN (
      SELECT order_id FROM order_stages WHERE store_id = $1 AND state = 'held')
  ), open AS (
    SELECT coalesce(sum(rows), 0) AS rows FROM list_counts
    WHERE store_id = $1 AND list = 'orders' AND grain = 'all' AND labels[3] = ${OPEN}
      AND labels[4] = CASE WHEN $2 THEN 'TEST' ELSE 'LIVE' END
  ), recent AS (
    SELECT count(*) AS rows FROM orders
    WHERE store_id = $1 AND is_test = $2 AND fulfillment_status = ${OPEN} AND created_at >= ${WAIT}
  )
  SELECT held.rows AS held,
    (SELECT count(*) FROM orders WHERE store_id = $1 AND is_test = $2 AND refund_due > 0) AS "refundDue",
    (SELECT count(*) FROM order_stages JOIN orders ON orders.store_id = order_stages.store_id AND orders.id = order_id
      WHERE order_stages.store_id = $1 AND is_test = $2 AND state = 'dead' AND NOT set_aside AND stage LIKE 'notify-%'
    ) AS "failedMails",
    (open.rows - held.open)::bigint AS "toShip", (open.rows - recent.rows - held.old)::bigint AS "waitingLong",
    (SELECT count(*) FROM webhooks
      WHERE store_id = $1 AND state = 'active' AND failing_since IS NOT NULL) AS "webhooksFailing",
    (SELECT count(*) FROM webhooks
      WHERE store_id = $1 AND state = 'paused' AND reason <> 'requested') AS "webhooksPaused",
    (SELECT count(*) FROM api_keys
      WHERE store_id = $1 AND person_id IS NULL AND status = 'ACTIVE' AND successor_id IS NULL
        AND expires_at BETWEEN now() AND now() + interval '${KEY_EXPIRY_DAYS} days') AS "keysExpiring",
    (SELECT coalesce(sum(rows), 0)::bigint FROM list_counts
      WHERE store_id = $1 AND list = 'skus' AND grain = 'all' AND labels[1] = 'false') AS "outOfStock"
  FROM held, open, recent`;

@Injectable()
export class PostgresStoreAttention extends StoreAttention {
  constructor(private readonly database: Database) {
    super();
  }

  override async count(storeId: number, isTest: boolean): Promise<AttentionCounts> {
    const [counts] = await this.database.search<AttentionCounts>(COUNT, [storeId, isTest]);
    if (!counts) throw new Error('The counts have no row');
    return counts;
  }
}
