import { OrderCharges } from '@app/application';
import { chargesBy, NO_CHARGES, type ChargeableOrder, type ChargeRules, type Charges } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { oncePerSecond } from '../platform/once-per-second.js';
import { Database } from '../postgres/database.js';

const SETTINGS = `/* stores.charge_settings */ SELECT charge_settings AS settings FROM stores WHERE id = $1`;

const CATEGORIES = `/* products.category_slugs */
  SELECT product.product_id AS "productId", array_agg(category.slug) AS slugs
  FROM product_categories AS product
  JOIN categories AS category ON category.store_id = product.store_id AND category.id = product.category_id
  WHERE product.store_id = $1 AND product.product_id = ANY ($2::int[])
  GROUP BY product.product_id`;

/** The settings as a store bundle has them. */
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

/** Beyond it, the settings that were read first are read again. */
const MAX_STORES = 1_000;

/** Charges orders by the settings of their store. A store without settings charges nothing. */
@Injectable()
export class StoreCharges extends OrderCharges {
  private readonly rules = new Map<number, () => Promise<ChargeRules | null>>();

  constructor(private readonly database: Database) {
    super();
  }

  override async chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges> {
    const rules = await this.rulesOf(storeId);
    if (!rules) return NO_CHARGES;
    const hasCategories = rules.rates.some(({ category }) => category !== null);
    const slugs = hasCategories ? await this.categoriesOf(storeId, order) : new Map<number, readonly string[]>();
    return chargesBy(rules, order, ({ productId }) => slugs.get(productId) ?? []);
  }

  /** Each order would read the same: a change of the settings applies within a second. */
  private rulesOf(storeId: number): Promise<ChargeRules | null> {
    const known = this.rules.get(storeId) ?? oncePerSecond(() => this.readRules(storeId));
    if (!this.rules.has(storeId)) {
      const [first] = this.rules.keys();
      if (this.rules.size >= MAX_STORES && first !== undefined) this.rules.delete(first);
      this.rules.set(storeId, known);
    }
    return known();
  }

  private async readRules(storeId: number): Promise<ChargeRules | null> {
    const [row] = await this.database.queryPrepared<{ settings: ChargeSettings }>(SETTINGS, [storeId]);
    const { prices_include_tax, reverse_charge_from, rates = [], shipping } = row?.settings ?? {};
    if (rates.length === 0 && !shipping) return null;
    return {
      isTaxIncluded: prices_include_tax ?? false,
      reverseChargeFrom: reverse_charge_from ?? null,
      rates: rates.map((rate) => ({ ...rate, category: rate.category ?? null })),
      shipping: { amount: shipping?.amount ?? 0, freeFrom: shipping?.free_from ?? null },
    };
  }

  private async categoriesOf(storeId: number, { lines }: ChargeableOrder): Promise<Map<number, readonly string[]>> {
    const ids = [...new Set(lines.map(({ productId }) => productId))];
    type Row = { readonly productId: number; readonly slugs: readonly string[] };
    const rows = await this.database.queryPrepared<Row>(CATEGORIES, [storeId, ids]);
    return new Map(rows.map(({ productId, slugs }) => [productId, slugs]));
  }
}
