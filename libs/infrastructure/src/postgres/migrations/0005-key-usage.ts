import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How much each API key is used, for fair-use monitoring. */
export class KeyUsage1764000000005 implements MigrationInterface {
  name = 'KeyUsage1764000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(USAGE);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only'));
  }
}

const USAGE = `
CREATE TABLE api_key_usage (
  store_id int NOT NULL,
  key_id uuid NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  throttled bigint NOT NULL,
  PRIMARY KEY (store_id, key_id, day),
  FOREIGN KEY (store_id, key_id) REFERENCES api_keys (store_id, id) ON DELETE CASCADE
);
COMMENT ON TABLE api_key_usage IS 'Requests by key and UTC day, of all processes; written about once a minute.';
COMMENT ON COLUMN api_key_usage.requests IS 'Of an accepted key, throttled ones included.';
COMMENT ON COLUMN api_key_usage.throttled IS 'Those of them that were answered 429.';
`;
