import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../database.js';

const FLUSH_MS = 10_000;

// A key is written at most once a minute, by whichever process comes first.
const WRITE = `
  UPDATE api_keys SET last_used_at = now()
  FROM unnest($1::int[], $2::uuid[]) AS used (store_id, id)
  WHERE api_keys.store_id = used.store_id AND api_keys.id = used.id
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

/** Keeps `last_used_at` of API keys without a write per request: uses are collected and written together. */
@Injectable()
export class LastUse implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(LastUse.name);
  private used = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {}

  note(storeId: number, keyId: string): void {
    this.used.set(keyId, storeId);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.used.size === 0) return;
    const used = this.used;
    this.used = new Map();
    try {
      await this.database.query(WRITE, [[...used.values()], [...used.keys()]]);
    } catch (error) {
      this.logger.warn(`Could not note the last use of ${used.size} keys: ${(error as Error).name}`);
    }
  }
}
