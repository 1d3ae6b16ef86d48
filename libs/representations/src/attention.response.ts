import { KEY_EXPIRY_DAYS, type AttentionCounts } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const Attention = representation(
  'Attention',
  is.object({
    held: is.integer('Orders under review.', 2),
    refund_due: is.integer('Orders with a refund due.', 1),
    failed_mails: is.integer('Mails of orders that failed permanently, except because of their recipient.', 1),
    to_ship: is.integer('Orders that are PENDING, CONFIRMED or PROCESSING and not under review.', 12),
    waiting_over_2_days: is.integer('Orders of `to_ship` that were placed more than 2 days ago.', 3),
    webhooks_failing: is.integer('Active webhooks whose last attempt failed.', 1),
    webhooks_paused: is.integer('Webhooks that the service has paused.', 0),
    keys_expiring: is.integer(`Active keys that end within ${KEY_EXPIRY_DAYS} days and have no successor.`, 1),
    out_of_stock: is.integer('Sellable units without stock.', 4),
    low_stock: is.integer('Sellable units whose stock is at or below their `low_stock`.', 6),
  }),
);

export function toAttentionResponse(counts: AttentionCounts): ValueOf<typeof Attention> {
  return {
    held: counts.held,
    refund_due: counts.refundDue,
    failed_mails: counts.failedMails,
    to_ship: counts.toShip,
    waiting_over_2_days: counts.waitingLong,
    webhooks_failing: counts.webhooksFailing,
    webhooks_paused: counts.webhooksPaused,
    keys_expiring: counts.keysExpiring,
    out_of_stock: counts.outOfStock,
    low_stock: counts.lowStock,
  };
}
