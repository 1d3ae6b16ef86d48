import { HeldOrders, type HeldFilter, type HeldOrder } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Database } from '../postgres/database.js';
import { toSafeInteger } from '../postgres/integers.js';

interface HeldRow extends Omit<HeldOrder, 'totalAmount'> {
  readonly totalAmount: string;
}

// Of one reason, the index has them side by side in the order that is asked for, however many others are held.
const ONE_REASON = 'stage.held_for = $3';
const REASONS = `($3::text[] IS NULL OR stage.held_for <@ $3 AND stage.held_for <> '{}')`;

const listBy = (reasons: string) => `/* orders.held */
  SELECT stages_held.*, orders.receipt_number AS "receiptNumber", orders.total_amount AS "totalAmount", orders.currency,
    orders.is_test AS "isTest", orders.created_at AS "createdAt"
  FROM (
    SELECT stage.store_id AS "storeId", stores.subdomain, stage.order_id AS "orderId",
      coalesce(stage.held_for, '{}') AS reasons
    FROM order_stages AS stage JOIN stores ON stores.id = stage.store_id
    WHERE stage.state = 'held' AND ($1::text IS NULL OR stores.subdomain = $1)
      AND ($2::uuid IS NULL OR stage.order_id > $2) AND ${reasons}
    ORDER BY stage.order_id, stage.store_id LIMIT $4
  ) AS stages_held
  JOIN orders ON orders.store_id = stages_held."storeId" AND orders.id = stages_held."orderId"
  ORDER BY orders.id, orders.store_id`;

@Injectable()
export class PostgresHeldOrders extends HeldOrders {
  constructor(private readonly database: Database) {
    super();
  }

  override async list({ subdomain, reasons }: HeldFilter, limit: number, after: string | null): Promise<HeldOrder[]> {
    const text = listBy(reasons?.length === 1 ? ONE_REASON : REASONS);
    const rows = await this.database.query<HeldRow>(text, [subdomain, after, reasons, limit]);
    return rows.map((row) => ({ ...row, totalAmount: toSafeInteger(row.totalAmount) }));
  }
}
