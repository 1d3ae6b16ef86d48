import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../../../support/test-database.js';

/** `SMTP_451`, `EADDRESS`, `57P01`, `deadline_exceeded`: a code or the name of a class, never a sentence. */
const ERROR_CLASS = /^[A-Za-z0-9_]{1,50}$/;
const INTERVAL_MS = 250;

export interface StageRow {
  readonly order_id: string;
  readonly stage: string;
  readonly reference: string;
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string;
}

/** Repeatedly reads the failures that the pipeline stores. */
export class StageWatch {
  readonly errorClasses = new Set<string>();
  private readonly violations = new Set<string>();
  private readonly stopping = new AbortController();
  private readonly loop: Promise<void>;

  constructor(
    private readonly database: TestDatabase,
    private readonly storeId: number,
  ) {
    this.loop = this.watch();
  }

  /** The stages in progress, in a stable order. */
  stages(): Promise<StageRow[]> {
    return this.database.query<StageRow>(
      `SELECT order_id, stage, reference, state, attempts, last_error FROM order_stages
       WHERE store_id = $1 AND stage LIKE 'notify-%' ORDER BY order_id, stage, reference`,
      [this.storeId],
    );
  }

  /** @returns stored texts that should not be stored. */
  async stop(): Promise<string[]> {
    this.stopping.abort();
    await this.loop;
    return [...this.violations];
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look();
      await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
    await this.look();
  }

  private async look(): Promise<void> {
    const stages = await this.database.query<{ last_error: string }>(
      `SELECT DISTINCT last_error FROM order_stages WHERE store_id = $1 AND last_error <> ''`,
      [this.storeId],
    );
    for (const { last_error } of stages) {
      this.errorClasses.add(last_error);
      if (!ERROR_CLASS.test(last_error)) this.violations.add(`a stage keeps the error: ${last_error}`);
    }
  }
}
