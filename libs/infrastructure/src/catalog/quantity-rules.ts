import type { QuantityRule } from '@app/domain';
import type { Sql } from '../postgres/sql.js';

/** A product or variant in a price list, or in the catalog. */
export interface ListedUnit {
  /** The code of the list; `''` for the catalog, which has quantity rules only. */
  readonly list: string;
  readonly productId: number;
  /** 0 stands for the product itself. */
  readonly variantKey: number;
}

export interface UnitRule extends ListedUnit {
  /** Null removes it. */
  readonly rule: QuantityRule | null;
}

/** SQL for the rule of a unit. The limit keeps the planner from reading all rules for a few units. */
export const ruleOf = (unit: string, columns: string) => `LATERAL (
      SELECT ${columns} FROM quantity_rules WHERE store_id = $1 AND product_id = ${unit}.product_id
        AND variant_key = ${unit}.variant_key AND list = ${unit}.list LIMIT 1
    ) AS rule`;

const READ = `/* quantity_rules.read */
  SELECT asked.list, asked.product_id AS "productId", asked.variant_key AS "variantKey",
    json_build_object('minQuantity', rule.min_quantity, 'step', rule.step) AS rule
  FROM unnest($2::text[], $3::int[], $4::int[]) AS asked (list, product_id, variant_key)
  CROSS JOIN ${ruleOf('asked', 'min_quantity, step')}`;

const WRITE = `/* quantity_rules.write */
  INSERT INTO quantity_rules AS kept (store_id, list, product_id, variant_id, variant_key, min_quantity, step)
  SELECT $1::int, list, product_id, nullif(variant_key, 0), variant_key, min_quantity, step
  FROM unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::int[])
    AS given (list, product_id, variant_key, min_quantity, step)
  ORDER BY product_id, variant_key, list
  ON CONFLICT (store_id, product_id, variant_key, list)
  DO UPDATE SET min_quantity = excluded.min_quantity, step = excluded.step
  WHERE (kept.min_quantity, kept.step) <> (excluded.min_quantity, excluded.step)`;

const REMOVE = `/* quantity_rules.remove */
  DELETE FROM quantity_rules WHERE store_id = $1 AND ctid = ANY (ARRAY(
    SELECT rule.ctid FROM unnest($2::text[], $3::int[], $4::int[]) AS gone (list, product_id, variant_key)
    CROSS JOIN ${ruleOf('gone', 'ctid')}))`;

/** Returns the existing rules of the units, in any order. */
export function readRules(sql: Sql, storeId: number, units: readonly ListedUnit[]): Promise<UnitRule[]> {
  return sql.query<UnitRule>(READ, [storeId, ...columnsOf(units)]);
}

/** The caller has locked the lists, and the products of rules of the catalog. */
export async function writeRules(sql: Sql, storeId: number, rules: readonly UnitRule[]): Promise<void> {
  const gone = rules.filter(({ rule }) => rule === null);
  if (gone.length > 0) await sql.query(REMOVE, [storeId, ...columnsOf(gone)]);
  const kept = rules.flatMap(({ rule, ...unit }) => (rule ? [{ ...unit, ...rule }] : []));
  if (kept.length === 0) return;
  const values = [kept.map(({ minQuantity }) => minQuantity), kept.map(({ step }) => step)];
  await sql.query(WRITE, [storeId, ...columnsOf(kept), ...values]);
}

/** The lists, the products and the variant keys. */
export function columnsOf(units: readonly ListedUnit[]): readonly unknown[] {
  return [
    units.map(({ list }) => list),
    units.map(({ productId }) => productId),
    units.map(({ variantKey }) => variantKey),
  ];
}
