import type { Service } from '../support/service.js';
import type { Shop } from '../support/shop.js';
import { moved } from './writers.js';

/** Writes, and reads with the tag from before the write: the answer must not be 304. */
export class ConditionalReader {
  readonly violations: string[] = [];
  writes = 0;

  constructor(private readonly shop: Shop) {}

  async run(milliseconds: number): Promise<void> {
    const { products, store, context } = this.shop;
    const shown = 'product.store_id = $1 AND product.id = $2';
    const counted = moved('UPDATE stock SET quantity = quantity + 1 WHERE store_id = $1 AND product_id = $2');
    const writes: readonly (readonly [path: string, sql: string])[] = [
      ['/v1/products', counted],
      ['/v1/skus', counted],
      [`/v1/products/${products[0]}`, `UPDATE products AS product SET price = price + 1 WHERE ${shown}`],
      [
        `/v1/products/${products[0]}`,
        `UPDATE categories SET name = name || '+' WHERE store_id = $1 AND id IN (
           SELECT category_id FROM product_categories AS link WHERE link.store_id = $1 AND link.product_id = $2)`,
      ],
    ];
    await context.rig.database.query(
      `INSERT INTO product_categories (store_id, product_id, category_id)
       SELECT $1, $2, min(id) FROM categories WHERE store_id = $1 ON CONFLICT DO NOTHING`,
      [store.id, products[0]],
    );
    for (const end = Date.now() + milliseconds; Date.now() < end;) {
      for (const [path, sql] of writes) await this.writeAndRead(path, sql);
    }
  }

  private async writeAndRead(path: string, sql: string): Promise<void> {
    const { context, store, products, services } = this.shop;
    const [one, two] = services;
    const before = await this.get(one, path);
    // The writers update the same rows in any order: a deadlock with one of them writes nothing.
    const isWritten = await context.rig.database.query(sql, [store.id, products[0]]).then(
      () => true,
      (error: { readonly code?: string }) => {
        if (error.code !== '40P01') throw error;
        return false;
      },
    );
    if (!isWritten) return;
    this.writes++;
    // Another process: it knows nothing of the first answer.
    const after = await this.get(two, path, before.tag);
    if (after.status === 304) this.violations.push(`a 304 hides a write: ${path}, ${sql.slice(0, 40)}`);
    else if (after.status !== 200 && after.status !== 503) this.violations.push(`${path}: ${after.status}`);
  }

  private async get(service: Service | undefined, path: string, tag = '') {
    const headers = { authorization: `Bearer ${this.shop.store.key}`, ...(tag && { 'if-none-match': tag }) };
    const response = await fetch(`${service?.url}${path}`, { headers });
    await response.arrayBuffer();
    return { status: response.status, tag: response.headers.get('etag') ?? '' };
  }
}
