import { query, type Store } from './query.js';

const ADD = `
  UPDATE stock SET quantity = stock.quantity + asked.adjust
  FROM unnest($2::int[], $3::int[], $4::text[], $5::text[], $6::int[]) WITH ORDINALITY
    AS asked (product_id, variant_key, warehouse, bin, adjust, line)
  JOIN warehouses ON warehouses.store_id = $1 AND warehouses.code = asked.warehouse
  JOIN bins ON bins.store_id = $1 AND bins.warehouse_id = warehouses.id AND bins.code = asked.bin
  JOIN products AS product ON product.store_id = $1 AND product.id = asked.product_id
  LEFT JOIN product_variants AS variant ON variant.store_id = $1 AND variant.id = asked.variant_key
  WHERE stock.store_id = $1 AND stock.product_id = asked.product_id AND stock.variant_key = asked.variant_key
    AND stock.bin_id = bins.id
  RETURNING asked.line::int, coalesce(variant.sku, product.sku) AS sku, asked.product_id,
    nullif(asked.variant_key, 0) AS variant_id, asked.warehouse, asked.bin, stock.quantity - asked.adjust AS before,
    stock.quantity AS after`;

export interface ReceiptRequest {
  readonly lines: readonly {
    readonly product_id: number;
    readonly variant_id?: number;
    readonly warehouse: string;
    readonly bin: string;
    readonly adjust: number;
  }[];
}

interface Received {
  readonly line: number;
}

/** Runs a single statement, which commits by itself. */
export async function receive(store: Store, { lines }: ReceiptRequest) {
  const rows = await query<Received>('add', ADD, [
    store.id,
    lines.map(({ product_id }) => product_id),
    lines.map(({ variant_id }) => variant_id ?? 0),
    lines.map(({ warehouse }) => warehouse),
    lines.map(({ bin }) => bin),
    lines.map(({ adjust }) => adjust),
  ]);
  const received = rows.map((row) => ({ ...row, short: 0, code: '', error: '' })).sort((a, b) => a.line - b.line);
  return { success: true, data: { reference: '', lines: received } };
}
