import { MAX_NOTICES, StoreRepository, type ClaimLimits, type StoreProfile } from '@app/application';
import { Injectable } from '@nestjs/common';
import { claimMails } from './claim-mails.js';
import { MailNotifier } from './mail-notifier.js';
import { pausedWebhookMail, type PausedWebhook } from './paused-webhook-mail.js';
import { isCounted, shortStockMail, type OpenOrder, type ShortStock } from './short-stock-mail.js';
import { StoreClaimLoop, valuesOf } from '../platform/store-claim-loop.js';
import { Database } from '../postgres/database.js';
import { ALL_STORES } from '../postgres/read-batches.js';

const CLAIM = claimMails('/* notices.claim */', {
  table: 'merchant_notices',
  isWaiting: 'true',
  attempts: 'attempts',
  dueAt: 'run_at',
  columns: 'store_id AS "storeId", id, subject, details',
});

const DONE = `/* notices.done */ DELETE FROM merchant_notices WHERE store_id = $1 AND id = $2 AND is_writable($1)`;

const newestOpen = (ofBin: string) => `/* notices.newest_open_orders */
  SELECT short.place::int - 1 AS place, newest.receipt_number AS receipt
  FROM ROWS FROM (jsonb_to_recordset($2) AS (bin_id int, product_id int, variant_key int)) WITH ORDINALITY
    AS short (bin_id, product_id, variant_key, place)
  CROSS JOIN LATERAL (
    SELECT orders.receipt_number FROM stock_movements AS moved
    JOIN orders ON orders.store_id = $1 AND orders.id = moved.order_id
    WHERE moved.store_id = $1 AND moved.product_id = short.product_id AND moved.variant_key = short.variant_key
      ${ofBin} AND moved.kind = 'ORDER'
      AND orders.fulfillment_status IN ('PENDING', 'CONFIRMED', 'PROCESSING')
      AND EXISTS (
        SELECT FROM order_lines AS line
        WHERE line.store_id = $1 AND line.order_id = orders.id AND line.product_id = short.product_id
          AND coalesce(line.variant_id, 0) = short.variant_key AND line.quantity > (
            SELECT coalesce(sum(item.quantity), 0) FROM shipment_items AS item
            JOIN shipments USING (store_id, order_id, reference)
            WHERE item.store_id = $1 AND item.order_id = orders.id AND item.position = line.position
              AND shipments.status IN ('shipped', 'delivered')) + (
            SELECT coalesce(sum(gone.quantity), 0) FROM cancelled_units AS gone
            WHERE gone.store_id = $1 AND gone.order_id = orders.id AND gone.position = line.position))
    ORDER BY moved.transaction DESC LIMIT 5
  ) AS newest`;
const NEWEST_OPEN_OF_BIN = newestOpen('AND moved.bin_id = short.bin_id');
const NEWEST_OPEN = newestOpen('');

type Notice = { readonly storeId: number; readonly id: number } & (
  | { readonly subject: 'short_stock'; readonly details: readonly ShortStock[] }
  | { readonly subject: 'webhook_paused'; readonly details: PausedWebhook }
);

/** Mails merchants what needs their attention. */
@Injectable()
export class MerchantNotices extends StoreClaimLoop<Notice> {
  constructor(
    private readonly database: Database,
    private readonly stores: StoreRepository,
    private readonly mails: MailNotifier,
  ) {
    super({ what: 'Notices to merchants', concurrency: MAX_NOTICES, pollMs: 1_000, shutdownMs: 35_000 });
  }

  override claimWithin(limits: ClaimLimits): Promise<Notice[]> {
    return this.database.query(CLAIM, valuesOf(limits), ALL_STORES);
  }

  override async execute(notice: Notice): Promise<void> {
    const { storeId, id, subject } = notice;
    const store = await this.stores.findProfile(storeId);
    if (store) {
      await this.mails.notifyMerchant(store, `${subject.replace('_', '-')}-${id}`, await this.messageOf(notice, store));
    }
    await this.database.query(DONE, [storeId, id]);
  }

  private async messageOf({ storeId, subject, details }: Notice, { timeZone }: StoreProfile) {
    if (subject === 'webhook_paused') return pausedWebhookMail(details, timeZone);
    const sql = isCounted(details) ? NEWEST_OPEN_OF_BIN : NEWEST_OPEN;
    const orders = await this.database.query<OpenOrder>(sql, [storeId, JSON.stringify(details)]);
    return shortStockMail(details, orders);
  }
}
