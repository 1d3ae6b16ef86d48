import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import {
  type DataCipher,
  DecryptionFailed,
  ENCRYPTED_COLUMNS,
  type EncryptedColumn,
  KEY_ID_BYTES,
} from '@app/infrastructure';

/** How many values are under one key. */
export interface KeyUse {
  /** What its ciphertexts begin with, in hexadecimal. */
  readonly key: string;
  /** In `DATA_ENCRYPTION_KEYS`, from 1 for the newest; `null` = not in it. */
  readonly position: number | null;
  readonly values: number;
}

export interface RotationReport {
  /** Values that were encrypted anew. */
  readonly rotated: number;
  /** Values that could not be decrypted, and were left as they are. */
  readonly unreadable: number;
  /** Which and why, of the first of them. */
  readonly examples: readonly string[];
  /** Values of older keys that somebody else held or wrote all the time. */
  readonly left: number;
  /** The configured keys, newest first, then any others. */
  readonly keys: readonly KeyUse[];
}

interface Value {
  readonly store_id: number;
  readonly row_key: string;
  readonly value: Buffer;
}

const BATCH = 500;
const EXAMPLES = 20;
/** A value that somebody holds is passed over; so is one that an import writes behind the rotation. */
const PASSES = 5;
const PAUSE_MS = 500;

/** Brings every encrypted value under the newest key. */
export class KeyRotation {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cipher: DataCipher,
  ) {}

  /** How many values are not under the newest key. */
  async due(): Promise<number> {
    const [newest] = this.cipher.keyIds;
    const uses = await this.uses();
    return uses.filter(({ key }) => key !== newest).reduce((sum, { values }) => sum + values, 0);
  }

  /**
   * Encrypts anew what is not under the newest key. Each batch is a transaction of its own, so that what was done stays
   * done when this is interrupted; nothing waits for it longer than for one batch, and it waits for nobody.
   */
  async run(onProgress: (rotated: number) => void = () => undefined): Promise<RotationReport> {
    let rotated = 0;
    for (let pass = 1; ; pass++) {
      const unreadable: string[] = [];
      for (const column of ENCRYPTED_COLUMNS) {
        for await (const batch of this.batches(column)) {
          rotated += batch.rotated;
          unreadable.push(...batch.unreadable);
          onProgress(rotated);
        }
      }
      const left = Math.max(0, (await this.due()) - unreadable.length);
      if (left === 0 || pass === PASSES) {
        const examples = unreadable.slice(0, EXAMPLES);
        return { rotated, unreadable: unreadable.length, examples, left, keys: await this.uses() };
      }
      await delay(PAUSE_MS);
    }
  }

  private async *batches(column: EncryptedColumn) {
    let last: Pick<Value, 'store_id' | 'row_key'> | undefined = { store_id: 0, row_key: column.beforeAll };
    while (last) {
      const after: Pick<Value, 'store_id' | 'row_key'> = last;
      const batch = await this.dataSource.transaction('READ COMMITTED', (manager) =>
        this.rotateBatch(manager, column, after),
      );
      last = batch.last;
      yield batch;
    }
  }

  private async rotateBatch(
    manager: EntityManager,
    column: EncryptedColumn,
    after: Pick<Value, 'store_id' | 'row_key'>,
  ) {
    const newest = Buffer.from(this.cipher.keyIds[0] ?? '', 'hex');
    const due = await manager.query<Value[]>(selectDue(column), [after.store_id, after.row_key, newest, BATCH]);
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
    if (renewed.length > 0) await manager.query(update(column), parts);
    return { rotated: renewed.length, unreadable, last: due.at(-1) };
  }

  private async uses(): Promise<KeyUse[]> {
    const counts = new Map(this.cipher.keyIds.map((key) => [key, 0]));
    for (const column of ENCRYPTED_COLUMNS) {
      const found = await this.dataSource.query<{ key: string; values: number }[]>(countByKey(column));
      for (const { key, values } of found) counts.set(key, (counts.get(key) ?? 0) + values);
    }
    return [...counts].map(([key, values]) => ({ key, position: this.positionOf(key), values }));
  }

  private positionOf(key: string): number | null {
    return this.cipher.keyIds.indexOf(key) + 1 || null;
  }
}

// What is locked is skipped: rotation and an import, which locks in its own order, can never wait for each other.
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
  WHERE ${table}.store_id = renewed.store_id AND ${table}.${rowKey} = renewed.row_key`;

const countByKey = ({ table, column }: EncryptedColumn) => `/* secrets.count */
  SELECT encode(substring(${column} FROM 1 FOR ${KEY_ID_BYTES}), 'hex') AS key, count(*)::int AS values
  FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1 ORDER BY 1`;
