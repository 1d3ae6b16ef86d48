import { OrderCharges } from '@app/application';
import { chargesBy, NO_CHARGES, type ChargeableOrder, type ChargeRules, type Charges } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { oncePerSecond } from '../platform/once-per-second.js';
import { Database } from '../postgres/database.js';

const SETTINGS = `/* stores.charge_settings */ SELECT charge_settings AS settings FROM stores WHERE id = $1`;

const RATED = `/* categories.rated */ SELECT id, slug FROM categories WHERE store_id = $1 AND slug = ANY ($2::text[])`;

const CATEGORIES = `/* products.rated_categories */
  SELECT product_id AS "productId", array_agg(category_id) AS ids FROM product_categories
  WHERE store_id = $1 AND product_id = ANY ($2::int[]) AND category_id = ANY ($3::int[])
  GROUP BY product_id`;

/** The settings in the form of a store bundle. */
interface ChargeSettings {
  readonly prices_include_tax?: boolean;
  readonly reverse_charge_from?: string;
  readonly rates?: readonly {
    readonly country: string;
    readonly category?: string;
    readonly name: string;
    readonly rate: number;
  }[];
  readonly shipping?: { readonly amount: number; readonly free_from?: number | null };
}

interface Category {
  readonly id: number;
  readonly slug: string;
}

interface StoreRules extends ChargeRules {
  /**
   * The slugs, by id, of the categories that have a rate. Only ids are read for each product: slugs are long, and a
   * product may have a hundred categories.
   */
  readonly rated: ReadonlyMap<number, string>;
}

/** The cache holds this many stores; beyond it, the oldest settings are dropped and read again when needed. */
const MAX_STORES = 1_000;

/** Charges orders by the settings of their store. A store without settings charges nothing. */
@Injectable()
export class StoreCharges extends OrderCharges {
  private readonly rules = new Map<number, () => Promise<StoreRules | null>>();

  constructor(private readonly database: Database) {
    super();
  }

  override async chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges> {
    const rules = await this.rulesOf(storeId);
    if (!rules) return NO_CHARGES;
    const categories = await this.categoriesOf(storeId, order, rules);
    return chargesBy(rules, order, ({ productId }) => categories.get(productId) ?? []);
  }

  /** Caches the settings, which each order would read. A change applies within a second. */
  private rulesOf(storeId: number): Promise<StoreRules | null> {
    const known = this.rules.get(storeId) ?? oncePerSecond(() => this.readRules(storeId));
    if (!this.rules.has(storeId)) {
      const [first] = this.rules.keys();
      if (this.rules.size >= MAX_STORES && first !== undefined) this.rules.delete(first);
      this.rules.set(storeId, known);
    }
    return known();
  }

  private async readRules(storeId: number): Promise<StoreRules | null> {
    const [row] = await this.database.queryPrepared<{ settings: ChargeSettings }>(SETTINGS, [storeId]);
    const { prices_include_tax, reverse_charge_from, rates = [], shipping } = row?.settings ?? {};
    if (rates.length === 0 && !shipping) return null;
    const slugs = rates.flatMap(({ category }) => category ?? []);
    const rated = slugs.length > 0 ? await this.database.queryPrepared<Category>(RATED, [storeId, slugs]) : [];
    return {
      rated: new Map(rated.map(({ id, slug }) => [id, slug])),
      isTaxIncluded: prices_include_tax ?? false,
      reverseChargeFrom: reverse_charge_from ?? null,
      rates: rates.map((rate) => ({ ...rate, category: rate.category ?? null })),
      shipping: { amount: shipping?.amount ?? 0, freeFrom: shipping?.free_from ?? null },
    };
  }

  /** Returns, for each product, the slugs of its categories that have a rate. */
  private async categoriesOf(
    storeId: number,
    { lines }: ChargeableOrder,
    { rated }: StoreRules,
  ): Promise<Map<number, readonly string[]>> {
    if (rated.size === 0) return new Map();
    const products = [...new Set(lines.map(({ productId }) => productId))];
    type Row = { readonly productId: number; readonly ids: readonly number[] };
    const rows = await this.database.queryPrepared<Row>(CATEGORIES, [storeId, products, [...rated.keys()]]);
    return new Map(rows.map(({ productId, ids }) => [productId, ids.flatMap((id) => rated.get(id) ?? [])]));
  }
}
