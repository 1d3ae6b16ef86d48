import { setTimeout as delay } from 'node:timers/promises';
import { withBundleImporter, type BundleLine, type ImportReport } from '@app/bundles';
import { cipher } from '../../support/bundle-imports.js';
import { dataOf } from '../support/history.js';
import { oneOf } from '../support/store-setup.js';
import type { CounterOptions } from './counter.js';
import { SoldOrder, type StockOrder } from './sold-order.js';

const MAX_SALES = 12;
const MAX_TRIES = 20;

// What was there is found by the place of the sale in the ledger: it holds all bins of its products until it commits.
const SALES = `
  SELECT receipt_number AS receipt, line.product_id, line.quantity, coalesce(taken.units, 0)::int AS taken, (
    SELECT sum(quantity)::int FROM stock_movements AS before
    WHERE before.store_id = $1 AND before.product_id = line.product_id AND before.id <= taken.last) AS left
  FROM orders
  LEFT JOIN order_lines AS line ON line.store_id = $1 AND line.order_id = orders.id
  LEFT JOIN LATERAL (
    SELECT -sum(moved.quantity) AS units, max(moved.id) AS last FROM stock_movements AS moved
    WHERE moved.store_id = $1 AND moved.order_id = orders.id AND moved.product_id = line.product_id
  ) AS taken ON true
  WHERE orders.store_id = $1 AND source = 'POS'`;

interface SaleRow {
  readonly receipt: string;
  readonly product_id: number;
  readonly quantity: number;
  readonly taken: number;
  /** Units of the product after the sale; null if it took none. */
  readonly left: number | null;
}

interface Units {
  readonly productId: number;
  readonly quantity: number;
}

/** Sells what its customers hold in their hands, and posts its sales by the import, some of them several times. */
export class Till {
  readonly violations: string[] = [];
  taken = 0;
  private readonly receipts = new Map<string, Units>();

  constructor(private readonly options: CounterOptions) {}

  async sellDay(productIds: readonly number[]): Promise<void> {
    const { random } = this.options.shop.context;
    const sales = Array.from({ length: 1 + random(MAX_SALES) }, () => {
      return { productId: oneOf(productIds, random), quantity: 1 + random(5) };
    });
    await this.sell(sales);
  }

  /** @returns the units that the sales took from the bins. */
  async sell(sales: readonly Units[]): Promise<number> {
    const { shelves, shop } = this.options;
    const { random } = shop.context;
    const lines = await Promise.all(sales.map((sale) => this.lineOf(sale)));
    const products = sales.map(({ productId }) => productId);
    const bins = shelves.bins.filter(({ productId }) => products.includes(productId)).map(({ code }) => code);
    let taken = 0;
    await shelves.change(bins, async () => {
      const posts = Array.from({ length: 1 + random(2) }, () => this.post(lines));
      const created = (await Promise.all(posts)).reduce((sum, { counts }) => sum + counts.order.created, 0);
      if (created !== lines.length) this.violations.push(`${lines.length} sales were created ${created} times`);
      const orders = await Promise.all(lines.map(({ receipt_number: receipt }) => this.order(receipt)));
      for (const { id } of orders) shelves.sell(id, []);
      const units = orders.flatMap((order) => order.units);
      taken = units.length;
      return units.map((bin) => ({ bin, shelf: -1, sold: 0 }));
    });
    if (random(4) === 0) {
      const { counts } = await this.post(lines);
      if (counts.order.unchanged !== lines.length)
        this.violations.push('sales that were posted again changed something');
    }
    this.taken += taken;
    return taken;
  }

  get figures(): string {
    const sold = [...this.receipts.values()].reduce((sum, { quantity }) => sum + quantity, 0);
    return `${this.receipts.size} sales of a till, ${sold - this.taken} of their ${sold} units short`;
  }

  async verdict(): Promise<string[]> {
    const { context, store } = this.options.shop;
    const rows = await context.rig.database.query<SaleRow>(SALES, [store.id]);
    const unknown = new Map(this.receipts);
    return [
      ...this.violations,
      ...rows.flatMap(({ receipt, product_id, quantity, taken, left }) => {
        const sale = unknown.get(receipt);
        unknown.delete(receipt);
        if (sale?.productId !== product_id || sale.quantity !== quantity)
          return [`sale ${receipt} is not what was posted`];
        if (taken > quantity) return [`sale ${receipt} of ${quantity} units took ${taken}`];
        return taken < quantity && left ? [`sale ${receipt} took ${taken} of ${quantity} units and left ${left}`] : [];
      }),
      ...[...unknown.keys()].map((receipt) => `sale ${receipt} was acknowledged and does not exist`),
    ];
  }

  private async lineOf(sale: Units): Promise<Extract<BundleLine, { kind: 'order' }>> {
    const receipt_number = `TILL-${this.receipts.size + 1}`;
    this.receipts.set(receipt_number, sale);
    const { productId, quantity } = sale;
    return {
      ...{
        kind: 'order',
        store: this.options.shop.store.subdomain,
        receipt_number,
        source: 'POS',
        status: 'SUCCEEDED',
      },
      ...{ fulfillment_status: 'DELIVERED', payment_method: 'CASH', currency: 'USD', takes_stock: true },
      ...{ amount: quantity, total_amount: quantity, created_at: new Date().toISOString() },
      line_items: [{ product: await this.slugOf(productId), name: 'sold', unit_price: 1, quantity }],
    };
  }

  private async slugOf(productId: number): Promise<string> {
    const { database } = this.options.shop.context.rig;
    const [row] = await database.query<{ slug: string }>('SELECT slug FROM products WHERE id = $1', [productId]);
    return row?.slug ?? '';
  }

  private async post(lines: readonly BundleLine[]): Promise<ImportReport> {
    const { url } = this.options.shop.context.rig.database;
    for (let tries = 1; ; tries++) {
      try {
        return await withBundleImporter(url, cipher, (importer) => importer.importObjects(lines));
      } catch (error) {
        if (tries === MAX_TRIES) throw error;
        await delay(100);
      }
    }
  }

  private async order(receipt: string): Promise<SoldOrder> {
    const { shop, services } = this.options;
    const request = { method: 'GET', path: `/v1/orders/${receipt}` };
    return new SoldOrder(dataOf<StockOrder>(await shop.buyers.insist(services, undefined, request)));
  }
}
