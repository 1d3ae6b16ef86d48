/**
 * SQL for the units that a SKU means: those that have it exactly, or else those that have it in another letter case.
 * `$1` is the id of the store. Many products have no SKU: without that condition, the planner expects to find all of
 * them.
 * @param units a table or view with a row for each unit: `stock_units` or `sellable_units`.
 * @param sku an SQL expression.
 */
export function unitsBySku(units: 'stock_units' | 'sellable_units', sku: string): string {
  return `(
      SELECT * FROM (
        SELECT unit.*, rank() OVER (ORDER BY unit.sku <> ${sku}) AS place FROM ${units} AS unit
        WHERE unit.store_id = $1 AND upper(unit.sku) = upper(${sku}) AND unit.sku <> ''
      ) AS spelled WHERE place = 1
    )`;
}

/**
 * The maximum number of units with one SKU, in any letter case, among which a line can be resolved. The look-up reads
 * no more.
 */
const MAX_UNITS_OF_SKU = 100;

/**
 * SQL for the units (product_id, variant_key, sku) of a line with a SKU. Among several, it selects the one that can be
 * ordered: a product that is sold again shares its SKU with an archived one. When there are more units than
 * `MAX_UNITS_OF_SKU`, it returns several, which makes the line ambiguous. @param sku an SQL expression.
 */
export function unitsOfLine(sku: string): string {
  return `(
      SELECT product_id, variant_key, sku FROM (
        SELECT product_id, variant_key, sku, count(*) OVER () AS units,
          rank() OVER (ORDER BY sku <> ${sku}, NOT is_offered, NOT is_active) AS place
        FROM (
          SELECT * FROM stock_units
          WHERE store_id = $1 AND upper(sku) = upper(${sku}) AND sku <> '' LIMIT ${MAX_UNITS_OF_SKU + 1}
        ) AS spelled
      ) AS found WHERE place = 1 OR units > ${MAX_UNITS_OF_SKU}
    )`;
}

/**
 * SQL for the ids (product_id, variant_key) of the units that a list of SKUs means. @param skus a statement parameter.
 */
export function unitsBySkus(units: 'stock_units' | 'sellable_units', skus: string): string {
  return `SELECT found.product_id, found.variant_key FROM unnest(${skus}::text[]) AS given (sku)
      CROSS JOIN LATERAL ${unitsBySku(units, 'given.sku')} AS found`;
}
