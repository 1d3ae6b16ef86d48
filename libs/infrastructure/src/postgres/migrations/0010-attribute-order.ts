import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Attributes keep their order, which jsonb does not. Orders and their lines may have negative amounts: credit notes in
 * imported history. Placing an order never makes one; the domain sees to it.
 */
export class AttributeOrder1764000000010 implements MigrationInterface {
  name = 'AttributeOrder1764000000010';
  // Each statement locks one table for a moment. Held together, the locks could close a circle with orders being placed.
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...ATTRIBUTE_NAMES, ...CREDIT_NOTES]) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

// A list beside the object, not another form of it: an earlier release that still runs reads and writes the object.
const ATTRIBUTE_NAMES = ['product_variants', 'order_lines'].flatMap((table) => [
  `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS attribute_names text[] NOT NULL DEFAULT '{}'`,
  `COMMENT ON COLUMN ${table}.attribute_names IS 'Names of the attributes, in their order.'`,
]);

const CREDIT_NOTES = [
  `ALTER TABLE orders DROP CONSTRAINT IF EXISTS orders_amount_check,
     DROP CONSTRAINT IF EXISTS orders_total_amount_check`,
  `ALTER TABLE order_lines DROP CONSTRAINT IF EXISTS order_lines_unit_price_check,
     DROP CONSTRAINT IF EXISTS order_lines_line_total_check`,
];
