import { createHash, randomInt } from 'node:crypto';
import {
  API_KEY_SECRET,
  composeApiKey,
  composeSessionSecret,
  scopeOfRole,
  SESSION_PREFIX,
  type ApiKeyMode,
  type ApiKeyScope,
  type Role,
} from '@app/domain';
import { v7 as uuidv7 } from 'uuid';
import type { TestDatabase } from '../support/test-database.js';

export interface ProductOptions {
  readonly name?: string;
  readonly slug?: string;
  readonly sku?: string;
  /** The price in minor units. */
  readonly price?: number;
  readonly status?: string;
  readonly featured?: boolean;
  readonly brandId?: number;
  readonly categoryIds?: readonly number[];
  readonly createdAt?: string;
  /** Available units: a number for a single bin, or one number per bin. */
  readonly stock?: number | readonly number[];
  /** Further columns by their names in the table; JSON as text. */
  readonly columns?: Record<string, unknown>;
}

interface PriceListOptions {
  readonly code?: string;
  readonly name?: string;
  readonly priority?: number;
  readonly groups?: readonly string[];
  readonly validFrom?: string | null;
  readonly validTo?: string | null;
}

interface ListPriceOptions {
  readonly productId: number;
  readonly variantId?: number | null;
  readonly from?: number;
  /** Minor units. */
  readonly price: number;
}

interface VariantOptions {
  readonly sku?: string;
  readonly name?: string;
  readonly price?: number;
  readonly attributes?: Record<string, string>;
  readonly status?: string;
  readonly position?: number;
  readonly stock?: number | readonly number[];
}

interface SessionOptions {
  readonly mode?: ApiKeyMode;
  readonly signedInMinutesAgo?: number;
}

export interface Session {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly secret: string;
}

let serial = 0;

/** A store in the database, with methods that add rows. Values are columns as in the table; each has a default. */
export class StoreFixture {
  private constructor(
    private readonly database: TestDatabase,
    readonly id: number,
    readonly subdomain: string,
    readonly key: string,
    private readonly warehouseId: number,
  ) {}

  static async create(database: TestDatabase, { currency = 'USD' } = {}): Promise<StoreFixture> {
    const subdomain = `store-${++serial}`;
    const id = await insert(database, 'stores', { subdomain, name: `Store ${serial}`, currency });
    const warehouseId = await insert(database, 'warehouses', { store_id: id, code: 'MAIN', name: 'Main' });
    const key = await createKey(database, id, 'live', 'full');
    return new StoreFixture(database, id, subdomain, key, warehouseId);
  }

  createKey(mode: ApiKeyMode = 'live', scope: ApiKeyScope = 'full'): Promise<string> {
    return createKey(this.database, this.id, mode, scope);
  }

  /** The person, and the secret of their session in the mode. */
  session(role: Role, options?: SessionOptions): Promise<Session> {
    return createSession(this.database, this.id, role, options);
  }

  async product(options: ProductOptions = {}): Promise<number> {
    const n = ++serial;
    const { name = `Product ${n}`, slug = `product-${n}`, sku = `P-${n}`, price = 1000, status = 'ACTIVE' } = options;
    const id = await insert(this.database, 'products', {
      store_id: this.id,
      name,
      slug,
      sku,
      price,
      status,
      featured: options.featured ?? false,
      brand_id: options.brandId ?? null,
      ...(options.createdAt ? { created_at: options.createdAt } : {}),
      ...options.columns,
    });
    for (const categoryId of options.categoryIds ?? []) {
      await this.database.query('INSERT INTO product_categories VALUES ($1, $2, $3)', [this.id, id, categoryId]);
    }
    await this.stock(id, null, options.stock ?? 0);
    return id;
  }

  /** @returns its code. */
  async priceList(options: PriceListOptions = {}): Promise<string> {
    const { code = `LIST-${++serial}`, name = `List ${code}`, priority = 0, groups = [] } = options;
    const { validFrom = null, validTo = null } = options;
    await this.database.query(
      `INSERT INTO price_lists (store_id, code, name, priority, valid_from, valid_to, customer_groups)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [this.id, code, name, priority, validFrom, validTo, groups],
    );
    return code;
  }

  async listPrice(list: string, { productId, variantId = null, from = 1, price }: ListPriceOptions): Promise<void> {
    await this.database.query(
      `INSERT INTO list_prices (store_id, list, product_id, variant_id, from_quantity, price) VALUES ($1, $2, $3, $4, $5, $6)`,
      [this.id, list, productId, variantId, from, price],
    );
  }

  async variant(productId: number, options: VariantOptions = {}): Promise<number> {
    const n = ++serial;
    const { sku = `V-${n}`, name = `Variant ${n}`, price = 1000, attributes = {}, status = 'ACTIVE' } = options;
    const { position = 0 } = options;
    const row = {
      store_id: this.id,
      product_id: productId,
      sku,
      name,
      price,
      attributes,
      attribute_names: Object.keys(attributes),
      status,
      position,
    };
    const id = await insert(this.database, 'product_variants', row);
    await this.stock(productId, id, options.stock ?? 0);
    return id;
  }

  brand(
    values: { name?: string; slug?: string; active?: boolean; logo?: string; description?: string } = {},
  ): Promise<number> {
    const n = ++serial;
    return insert(this.database, 'brands', { store_id: this.id, name: `Brand ${n}`, slug: `brand-${n}`, ...values });
  }

  category(
    values: {
      name?: string;
      slug?: string;
      active?: boolean;
      display_order?: number;
      parent_id?: number;
      image?: string;
      description?: string;
    } = {},
  ): Promise<number> {
    const n = ++serial;
    const defaults = { store_id: this.id, name: `Category ${n}`, slug: `category-${n}` };
    return insert(this.database, 'categories', { ...defaults, ...values });
  }

  async customer(values: Record<string, unknown> = {}): Promise<string> {
    const id = uuidv7();
    const defaults = { store_id: this.id, id, name: 'Ada Lovelace', status: 'Active' };
    return insertUuid(this.database, 'customers', { ...defaults, ...values });
  }

  async order(values: Record<string, unknown> = {}): Promise<string> {
    const defaults = {
      store_id: this.id,
      id: uuidv7(),
      receipt_number: `POS-${++serial}`,
      source: 'POS',
      status: 'SUCCEEDED',
      fulfillment_status: 'DELIVERED',
      payment_method: 'CASH',
      currency: 'USD',
      amount: 1000,
      total_amount: 1000,
      customer_name: 'Ada Lovelace',
      created_at: new Date(),
    };
    return insertUuid(this.database, 'orders', { ...defaults, ...values });
  }

  async orderLine(orderId: string, values: Record<string, unknown> = {}): Promise<void> {
    const [row] = await this.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM order_lines WHERE store_id = $1 AND order_id = $2',
      [this.id, orderId],
    );
    const defaults = { name: 'Mug', unit_price: 500, quantity: 2, line_total: 1000, position: row?.count ?? 0 };
    await this.row('order_lines', { order_id: orderId, ...defaults, ...values });
  }

  /** Adds a paused webhook, with a secret that nothing decrypts. */
  async webhook(values: Record<string, unknown> = {}): Promise<string> {
    const defaults = {
      store_id: this.id,
      id: uuidv7(),
      mode: 'live',
      url: 'https://receiver.example.com/',
      host: 'receiver.example.com',
      kinds: '{orders}',
      body: 'thin',
      batch: 1,
      secrets: Buffer.of(),
      state: 'paused',
      reason: 'requested',
      branch: uuidv7(),
      position: 0,
      base: 0,
    };
    return insertUuid(this.database, 'webhooks', { ...defaults, ...values });
  }

  /** Inserts a row. JSON arrays must be text. */
  async row(table: string, values: Record<string, unknown>): Promise<void> {
    await insertRow(this.database, table, { store_id: this.id, ...values });
  }

  bin(warehouseId = this.warehouseId): Promise<number> {
    return insert(this.database, 'bins', { store_id: this.id, warehouse_id: warehouseId, code: `BIN-${++serial}` });
  }

  warehouse({ active = true } = {}): Promise<number> {
    return insert(this.database, 'warehouses', { store_id: this.id, code: `W-${++serial}`, name: 'Other', active });
  }

  /** Puts units into new bins, one bin per number, with the opening rows of the ledger. */
  async stock(
    productId: number,
    variantId: number | null,
    quantities: number | readonly number[],
    warehouseId?: number,
  ): Promise<void> {
    for (const quantity of [quantities].flat()) {
      const where = { store_id: this.id, bin_id: await this.bin(warehouseId), product_id: productId };
      await insertRow(this.database, 'stock', { ...where, variant_id: variantId, quantity });
      if (quantity === 0) continue;
      const movement = { ...where, variant_key: variantId ?? 0, kind: 'OPENING', quantity };
      await insertRow(this.database, 'stock_movements', movement);
    }
  }

  async onHand(productId: number): Promise<number> {
    const rows = await this.database.query<{ sum: string }>(
      'SELECT coalesce(sum(quantity), 0) AS sum FROM stock WHERE store_id = $1 AND product_id = $2',
      [this.id, productId],
    );
    return Number(rows[0]?.sum);
  }
}

export async function createSession(
  database: Pick<TestDatabase, 'query'>,
  storeId: number,
  role: Role,
  { mode = 'live', signedInMinutesAgo = 0 }: SessionOptions = {},
): Promise<Session> {
  const n = ++serial;
  const person = { id: uuidv7(), email: `person-${n}@example.com`, name: `Person ${n}`, role };
  await insertRow(database, 'people', { store_id: storeId, invite_due: false, ...person });
  const secret = composeSessionSecret(randomSymbols());
  const created_at = new Date(Date.now() - signedInMinutesAgo * 60_000);
  await insertRow(database, 'api_keys', {
    store_id: storeId,
    id: uuidv7(),
    key_hash: createHash('sha256').update(secret).digest(),
    prefix: SESSION_PREFIX,
    last_four: secret.slice(-4),
    mode,
    scope: scopeOfRole(role),
    person_id: person.id,
    created_at,
    expires_at: new Date(created_at.getTime() + 12 * 3_600_000),
  });
  return { ...person, secret };
}

function randomSymbols(): number[] {
  return Array.from({ length: API_KEY_SECRET.length }, () => randomInt(API_KEY_SECRET.symbols));
}

async function createKey(
  database: TestDatabase,
  storeId: number,
  mode: ApiKeyMode,
  scope: ApiKeyScope,
): Promise<string> {
  const { text, prefix, lastFour } = composeApiKey(mode, randomSymbols());
  const key_hash = createHash('sha256').update(text).digest();
  const row = { store_id: storeId, id: uuidv7(), key_hash, prefix, last_four: lastFour, mode, scope };
  await insertRow(database, 'api_keys', row);
  return text;
}

async function insert(database: TestDatabase, table: string, row: Record<string, unknown>): Promise<number> {
  return (await insertRow(database, table, row))['id'] as number;
}

async function insertUuid(database: TestDatabase, table: string, row: Record<string, unknown>): Promise<string> {
  return (await insertRow(database, table, row))['id'] as string;
}

async function insertRow(
  database: Pick<TestDatabase, 'query'>,
  table: string,
  row: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const columns = Object.keys(row);
  const places = columns.map((_, index) => `$${index + 1}`);
  const [inserted] = await database.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) RETURNING *`,
    Object.values(row),
  );
  return inserted ?? {};
}
