import type { INestApplicationContext } from '@nestjs/common';
import { DataCipher, KEY_ID_BYTES } from '../platform/data-cipher.js';
import type { JsonLogger } from '../platform/json-logger.js';
import { Database } from '../postgres/database.js';
import { ENCRYPTED_COLUMNS, type EncryptedColumn } from './encrypted-columns.js';

/**
 * The number of rows that are read per column. It is enough to detect a swapped or missing key. The cost does not grow
 * with the data.
 */
const SAMPLE = 1_000;

const keysOf = ({ table, column }: EncryptedColumn) => `/* secrets.sample */
  SELECT DISTINCT encode(substring(${column} FROM 1 FOR ${KEY_ID_BYTES}), 'hex') AS key
  FROM (SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${SAMPLE}) AS sample`;

/** Logs an error when the database holds values that no configured key can decrypt. Never throws. */
export async function reportUnknownKeys(
  app: Pick<INestApplicationContext, 'get'>,
  logger: Pick<JsonLogger, 'error'>,
): Promise<void> {
  try {
    const database = app.get(Database);
    const cipher = app.get(DataCipher);
    const found = new Set<string>();
    for (const column of ENCRYPTED_COLUMNS) {
      const rows = await database.query<{ key: string }>(keysOf(column));
      for (const { key } of rows) if (!cipher.keyIds.includes(key)) found.add(key);
    }
    if (found.size === 0) return;
    logger.error(
      `Secrets in the database are encrypted with keys that are not configured (${[...found].join(', ')}), so they ` +
        `cannot be read. The configured keys are ${cipher.keyIds.join(', ')}. Restore the missing keys in ` +
        `DATA_ENCRYPTION_KEYS or DATA_DIR/encryption.key`,
      'Keys',
    );
  } catch {
    // Other parts of the service report an unreachable database.
  }
}
