import { KEY_EXPIRY_DAYS, LONG_WAIT_DAYS, StoreAttention, type AttentionCounts } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { LOW_UNITS } from '../stock/low-units.js';

const OPEN = `ANY ('{PENDING,CONFIRMED,PROCESSING}')`;
const WAIT = `now() - interval '${LONG_WAIT_DAYS} days'`;

// The number of open orders comes from the tally. The number of long-waiting ones is computed by subtracting the recent
// ones, because old orders may be most of the store.
const COUNT = `/* stores.attention */
  WITH counted AS (
    SELECT coalesce(sum(rows) FILTER (WHERE labels[5] = 'HELD'), 0)::bigint AS held,
      coalesce(sum(rows) FILTER (WHERE labels[5] = 'OPEN' AND labels[3] = ${OPEN}), 0)::bigint AS open
    FROM list_counts
    WHERE store_id = $1 AND list = 'orders' AND grain = 'all' AND labels[4] = CASE WHEN $2 THEN 'TEST' ELSE 'LIVE' END
  ), recent AS (
    SELECT count(*) AS rows FROM orders
    WHERE store_id = $1 AND is_test = $2 AND held_reasons IS NULL AND fulfillment_status = ${OPEN} AND created_at >= ${WAIT}
  )
  SELECT counted.held,
    (SELECT count(*) FROM orders WHERE store_id = $1 AND is_test = $2 AND balance < 0) AS "refundDue",
    (SELECT count(*) FROM order_stages AS stage JOIN orders ON orders.store_id = stage.store_id AND orders.id = order_id
      WHERE stage.store_id = $1 AND is_test = $2 AND outcome = 'failed' AND NOT dismissed) AS "failedMails",
    counted.open AS "toShip", counted.open - recent.rows AS "waitingLong",
    (SELECT count(*) FROM webhooks
      WHERE store_id = $1 AND state = 'active' AND failing_since IS NOT NULL) AS "webhooksFailing",
    (SELECT count(*) FROM webhooks
      WHERE store_id = $1 AND state = 'paused' AND reason <> 'requested') AS "webhooksPaused",
    (SELECT count(*) FROM api_keys
      WHERE store_id = $1 AND person_id IS NULL AND status = 'ACTIVE' AND successor_id IS NULL
        AND expires_at BETWEEN now() AND now() + interval '${KEY_EXPIRY_DAYS} days') AS "keysExpiring",
    (SELECT coalesce(sum(rows), 0)::bigint FROM list_counts
      WHERE store_id = $1 AND list = 'skus' AND grain = 'all' AND labels[1] = 'false') AS "outOfStock",
    (SELECT count(*) FROM (${LOW_UNITS}) AS low) AS "lowStock"
  FROM counted, recent`;

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
