import { EncryptedSecrets, type KeyUse, type ReencryptedBatch } from '@app/application';
import { Injectable } from '@nestjs/common';
import { DataCipher, DecryptionFailed, KEY_ID_BYTES } from '../platform/data-cipher.js';
import { ENCRYPTED_COLUMNS, type EncryptedColumn } from './encrypted-columns.js';
import { Connection, DirectDatabase } from '../postgres/connection.js';
import { toApplicationError } from '../postgres/postgres-errors.js';
import type { Sql } from '../postgres/sql.js';

interface RowKey {
  readonly store_id: number;
  readonly row_key: string;
}

interface Value extends RowKey {
  readonly value: Buffer;
}

interface Batch extends ReencryptedBatch {
  /** The next batch begins after this row; undefined when this batch is the last. */
  readonly last: RowKey | undefined;
}

/** These values sort before every key of their type. */
const BEFORE_ALL = { text: '', uuid: '00000000-0000-0000-0000-000000000000' } as const;

/** The number of values that one transaction locks and rewrites. */
const BATCH = 500;

@Injectable()
export class PostgresEncryptedSecrets extends EncryptedSecrets {
  constructor(
    private readonly direct: DirectDatabase,
    private readonly cipher: DataCipher,
  ) {
    super();
  }

  override keyUses(): Promise<KeyUse[]> {
    return this.direct.run(async (connection) => {
      const { keyIds } = this.cipher;
      const counts = new Map(keyIds.map((key) => [key, 0]));
      for (const column of ENCRYPTED_COLUMNS) {
        const found = await connection.query<{ key: string; values: number }>(countByKey(column));
        for (const { key, values } of found) counts.set(key, (counts.get(key) ?? 0) + values);
      }
      return [...counts].map(([key, values]) => ({ key, position: keyIds.indexOf(key) + 1 || null, values }));
    });
  }

  override async *reencrypt(): AsyncIterable<ReencryptedBatch> {
    const connection = new Connection(this.direct.url, 'store-commerce');
    try {
      await connection.open();
      for (const column of ENCRYPTED_COLUMNS) yield* this.batchesOf(connection, column);
    } catch (error) {
      throw toApplicationError(error);
    } finally {
      await connection.close();
    }
  }

  private async *batchesOf(connection: Connection, column: EncryptedColumn): AsyncIterable<ReencryptedBatch> {
    let after: RowKey | undefined = { store_id: 0, row_key: BEFORE_ALL[column.rowKeyType] };
    while (after) {
      const from: RowKey = after;
      const { last, ...batch } = await connection.transaction(null, (sql) => this.reencryptAfter(sql, column, from));
      yield batch;
      after = last;
    }
  }

  private async reencryptAfter(sql: Sql, column: EncryptedColumn, after: RowKey): Promise<Batch> {
    const newest = Buffer.from(this.cipher.keyIds[0] ?? '', 'hex');
    const due = await sql.query<Value>(selectDue(column), [after.store_id, after.row_key, newest, BATCH]);
    const unreadable: string[] = [];
    const renewed: Value[] = [];
    for (const { value, ...row } of due) {
      const context = column.context(row.store_id, row.row_key);
      try {
        renewed.push({ ...row, value: this.cipher.encrypt(this.cipher.decrypt(value, context), context) });
      } catch (error) {
        if (!(error instanceof DecryptionFailed)) throw error;
        unreadable.push(error.message);
      }
    }
    const parts = [renewed.map((row) => row.store_id), renewed.map((row) => row.row_key), renewed.map((r) => r.value)];
    if (renewed.length > 0) await sql.query(update(column), parts);
    return { rotated: renewed.length, unreadable, last: due.at(-1) };
  }
}

// Locked rows are skipped: the rotation and an import, which locks in another sequence, never wait for each other.
const selectDue = ({ table, column, rowKey, rowKeyType }: EncryptedColumn) => `/* secrets.due */
  SELECT store_id, ${rowKey} AS row_key, ${column} AS value
  FROM ${table}
  WHERE (store_id, ${rowKey}) > ($1, $2::${rowKeyType}) AND substring(${column} FROM 1 FOR ${KEY_ID_BYTES}) <> $3
  ORDER BY store_id, ${rowKey}
  LIMIT $4
  FOR NO KEY UPDATE SKIP LOCKED`;

const update = ({ table, column, rowKey, rowKeyType }: EncryptedColumn) => `/* secrets.update */
  UPDATE ${table} SET ${column} = renewed.value
  FROM unnest($1::int[], $2::${rowKeyType}[], $3::bytea[]) AS renewed (store_id, row_key, value)
  WHERE ${table}.store_id = renewed.store_id AND ${table}.${rowKey} = renewed.row_key
    AND is_writable(${table}.store_id)`;

const countByKey = ({ table, column }: EncryptedColumn) => `/* secrets.count */
  SELECT encode(substring(${column} FROM 1 FOR ${KEY_ID_BYTES}), 'hex') AS key, count(*)::int AS values
  FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`;
