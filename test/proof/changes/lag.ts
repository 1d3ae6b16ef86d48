import { setTimeout as delay } from 'node:timers/promises';
import type { StoreFixture } from '../../builders/store-fixture.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { FeedEntry } from '../../support/feed-reader.js';
import { Follower } from './follower.js';

const PAUSE_MS = 200;
const PATIENCE_MS = 20_000;

interface LagOptions {
  readonly store: StoreFixture;
  readonly address: () => string;
  readonly random: (below: number) => number;
}

/** The time from the commit of a change until a reader has it. */
export class Lag {
  private readonly times: number[] = [];

  constructor(
    private readonly database: Pick<TestDatabase, 'query'>,
    private readonly options: LagOptions,
  ) {}

  get count(): number {
    return this.times.length;
  }

  get slowestMs(): number {
    return Math.round(Math.max(...this.times));
  }

  get medianMs(): number {
    return Math.round([...this.times].sort((a, b) => a - b)[this.times.length >> 1] ?? 0);
  }

  /** Adds a brand, which no writer deletes, again and again, and waits until a reader of the feed has it. */
  async measure(milliseconds: number): Promise<void> {
    const seen = new Map<string, () => void>();
    const { store, ...rest } = this.options;
    const onEntry = ({ kind, id }: FeedEntry) => seen.get(`${kind} ${id}`)?.();
    const options = { ...rest, name: 'the reader of the lag', key: store.key, goesBack: false, onEntry };
    const reader = new Follower(options).start();
    for (const end = Date.now() + milliseconds; Date.now() < end; await delay(PAUSE_MS)) {
      const next = `SELECT nextval(pg_get_serial_sequence('brands', 'id')) AS id`;
      const [{ id = '' } = {}] = await this.database.query<{ id: string }>(next);
      const arrived = new Promise<void>((resolve) => seen.set(`brands ${id}`, resolve));
      const insert = `INSERT INTO brands (store_id, id, slug, name) VALUES ($1, $2, $3, 'lag')`;
      await this.database.query(insert, [store.id, id, `lag-${id}`]);
      const committed = performance.now();
      await Promise.race([arrived, delay(PATIENCE_MS)]);
      this.times.push(performance.now() - committed);
    }
    await reader.stop();
  }
}
