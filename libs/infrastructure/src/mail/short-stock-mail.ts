import { oneLine } from '../platform/plain-text.js';

export const NOTIFY_SHORT_STOCK = `/* stock.notify_merchant */
  INSERT INTO merchant_notices (store_id, subject, details) VALUES ($1, 'short_stock', $2)`;

/**
 * Units of a bin that are sold but that a count did not find, or units that a point of sale sold and that were in no
 * bin.
 */
export interface ShortStock {
  /** Null when there is no bin. */
  readonly bin_id: number | null;
  readonly product_id: number;
  readonly variant_key: number;
  readonly sku: string;
  readonly warehouse: string;
  readonly bin: string;
  readonly units: number;
}

/** An unshipped order that has taken units of a short bin. */
export interface OpenOrder {
  readonly place: number;
  readonly receipt: string;
}

/** A count names the bins; a sale at a point of sale does not. */
export function isCounted(short: readonly ShortStock[]): boolean {
  return short.every((line) => line.bin_id !== null);
}

export function shortStockMail(short: readonly ShortStock[], orders: readonly OpenOrder[]) {
  const units = short.reduce((sum, line) => sum + line.units, 0);
  const bins = short.map(({ sku, warehouse, bin, units: missing }, index) => {
    const receipts = orders.filter(({ place }) => place === index).map(({ receipt }) => receipt);
    const newest = receipts.length > 0 ? `\n  Newest open orders with it: ${[...new Set(receipts)].join(', ')}` : '';
    const place = bin && ` in ${warehouse}/${bin}`;
    return `${oneLine(`${sku || 'Without SKU'}${place}: ${missing} missing`)}${newest}`;
  });
  return {
    subject: `${units} sold ${units === 1 ? 'unit is' : 'units are'} missing`,
    text: [
      isCounted(short)
        ? 'A count found fewer units than were sold. The stock listed here is now 0, and not all open orders with these SKUs can ship:'
        : 'A till sold more units than were in stock. The stock of these SKUs is now 0, and open orders with them may lack units:',
      ...bins,
      'Cancel the orders that you cannot ship, and do not restock their units (restock: false). Count again after the next goods receipt.',
    ].join('\n\n'),
  };
}
