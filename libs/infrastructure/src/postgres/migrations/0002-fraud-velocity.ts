import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the fraud analysis needs to count a store's recent website orders by e-mail, phone and address.
 *
 * The indexes are not built CONCURRENTLY: that waits for every older snapshot, and another process that waits for the
 * migration lock holds one, so the two would wait for each other for ever.
 */
export class FraudVelocity1764000000002 implements MigrationInterface {
  name = 'FraudVelocity1764000000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [COMPARABLE, BY_CONTACT]) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

// Functions, so that the index and the query cannot say different things; PostgreSQL inlines both. An address is compared
// by a hash: 500 characters of it could be more than an index entry may hold, and a wrong match only adds to a score.
const COMPARABLE = `
CREATE FUNCTION comparable_phone(phone text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN nullif(regexp_replace(regexp_replace(phone, '[^0-9]', '', 'g'), '^00', ''), '');
COMMENT ON FUNCTION comparable_phone IS 'Digits only, without the international prefix 00; null when there are none.';

CREATE FUNCTION comparable_address(address jsonb) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN hashtextextended(
    nullif(btrim(regexp_replace(lower(address ->> 'address'), '[[:space:][:punct:]]+', ' ', 'g')), '') || '|' ||
    coalesce(nullif(regexp_replace(lower(address ->> 'zip'), '[[:space:]-]+', '', 'g'), ''),
      btrim(lower(address ->> 'city')), ''),
    0);
COMMENT ON FUNCTION comparable_address IS
  'Hash of street and zip (of street and city when there is no zip), whatever the case and punctuation; null without street.';
`;

const BY_CONTACT = `
CREATE INDEX orders_by_email ON orders (store_id, lower(customer_email), created_at)
  WHERE source = 'WEBSITE' AND customer_email <> '';
CREATE INDEX orders_by_phone ON orders (store_id, comparable_phone(customer_phone), created_at)
  WHERE source = 'WEBSITE' AND customer_phone <> '';
CREATE INDEX orders_by_address ON orders (store_id, comparable_address(shipping_address), created_at)
  WHERE source = 'WEBSITE' AND shipping_address ->> 'address' <> '';
`;
