import type { StoredApiKey } from '@app/application';
import { Injectable, Logger, type OnApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../postgres/database.js';

const FLUSH_MS = 60_000;

interface Count {
  readonly storeId: number;
  requests: number;
  throttled: number;
}

interface Refusals {
  readonly storeId: number;
  readonly keyId: string;
  readonly code: string;
  requests: number;
}

// All processes update the same few rows. The first process in each minute writes the last use; the others skip rows
// that it has locked. The counts of all processes add up. Rows are locked in key order, so that writers cannot
// deadlock. A key that was deleted in the meantime is skipped. So are keys of a store that moves: the counts of its
// last minute are lost.
const WRITE = `/* key_usage.add */
  WITH used AS (
    SELECT store_id, key_id, requests, throttled
    FROM unnest($1::int[], $2::uuid[], $3::bigint[], $4::bigint[]) AS used (store_id, key_id, requests, throttled)
    JOIN api_keys key USING (store_id)
    WHERE key.id = used.key_id AND is_writable(store_id)
  ), due AS (
    SELECT key.store_id, key.id FROM api_keys key JOIN used ON used.store_id = key.store_id AND used.key_id = key.id
    WHERE used.requests > 0 AND (key.last_used_at IS NULL OR key.last_used_at < date_trunc('minute', now()))
    FOR NO KEY UPDATE OF key SKIP LOCKED
  ), noted AS (
    UPDATE api_keys key SET last_used_at = now() FROM due WHERE key.store_id = due.store_id AND key.id = due.id
  ), refused AS (
    INSERT INTO api_key_refusals AS counted (store_id, key_id, day, code, requests)
    SELECT store_id, key_id, (now() AT TIME ZONE 'UTC')::date, code, requests
    FROM unnest($5::int[], $6::uuid[], $7::text[], $8::bigint[]) AS refused (store_id, key_id, code, requests)
    JOIN api_keys key USING (store_id)
    WHERE key.id = refused.key_id AND is_writable(store_id)
    ORDER BY store_id, key_id, code
    ON CONFLICT (store_id, key_id, day, code) DO UPDATE SET requests = counted.requests + excluded.requests
  )
  INSERT INTO api_key_usage AS usage (store_id, key_id, day, requests, throttled)
  SELECT store_id, key_id, (now() AT TIME ZONE 'UTC')::date, requests, throttled FROM used ORDER BY store_id, key_id
  ON CONFLICT (store_id, key_id, day) DO UPDATE
    SET requests = usage.requests + excluded.requests, throttled = usage.throttled + excluded.throttled`;

/**
 * Maintains `last_used_at` and the daily counts of the requests and refusals of API keys without a write per request: it
 * counts in memory and writes once a minute and at shutdown. A killed process loses its last minute.
 */
@Injectable()
export class KeyUsage implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(KeyUsage.name);
  private counts = new Map<string, Count>();
  private refusals = new Map<string, Refusals>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  count({ id, store }: StoredApiKey): void {
    this.add(id, { storeId: store.id, requests: 1, throttled: 0 });
  }

  countThrottled({ id, store }: StoredApiKey): void {
    this.add(id, { storeId: store.id, requests: 0, throttled: 1 });
  }

  /** Each refusal has a row of use, even when the key is no longer valid. */
  countRefused({ id, store }: StoredApiKey, code: string): void {
    this.add(id, { storeId: store.id, requests: 0, throttled: 0 });
    this.addRefusals({ storeId: store.id, keyId: id, code, requests: 1 });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Must run after the last request was answered, while the pool is still open. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  /** Writes the counts. On failure it logs a warning and keeps them for the next write. */
  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const { counts, refusals } = this;
    this.counts = new Map();
    this.refusals = new Map();
    try {
      await this.database.query(WRITE, [...columnsOf(counts), ...columnsOfRefusals([...refusals.values()])]);
    } catch (error) {
      this.logger.warn(`Could not write the usage of ${counts.size} keys: ${(error as Error).name}`);
      for (const [id, count] of counts) this.add(id, count);
      for (const refused of refusals.values()) this.addRefusals(refused);
    }
  }

  private add(id: string, { storeId, requests, throttled }: Count): void {
    const count = this.counts.get(id);
    if (count) {
      count.requests += requests;
      count.throttled += throttled;
    } else this.counts.set(id, { storeId, requests, throttled });
  }

  private addRefusals(refused: Refusals): void {
    const countKey = `${refused.keyId} ${refused.code}`;
    const count = this.refusals.get(countKey);
    if (count) count.requests += refused.requests;
    else this.refusals.set(countKey, refused);
  }
}

function columnsOf(counts: ReadonlyMap<string, Count>): unknown[] {
  const values = [...counts.values()];
  return [
    values.map(({ storeId }) => storeId),
    [...counts.keys()],
    values.map(({ requests }) => requests),
    values.map(({ throttled }) => throttled),
  ];
}

function columnsOfRefusals(refusals: readonly Refusals[]): unknown[] {
  return [
    refusals.map(({ storeId }) => storeId),
    refusals.map(({ keyId }) => keyId),
    refusals.map(({ code }) => code),
    refusals.map(({ requests }) => requests),
  ];
}
