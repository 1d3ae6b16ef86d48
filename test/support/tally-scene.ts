import { foldTallies } from '@app/infrastructure';
import pg from 'pg';
import { seededRandom } from './seeded-random.js';
import { startApi, type RunningApi } from './start-api.js';

interface Storm {
  readonly act: (draw: (below: number) => number) => Promise<unknown>;
  /** Makes assertions that hold at every moment. */
  readonly check: () => Promise<void>;
}

const WRITERS = 8;
const ACTS_PER_WRITER = 60;

export class TallyScene {
  private constructor(
    readonly api: RunningApi,
    readonly pool: pg.Pool,
  ) {}

  static async create(): Promise<TallyScene> {
    const api = await startApi();
    return new TallyScene(api, new pg.Pool({ connectionString: api.database.url, max: WRITERS + 1 }));
  }

  async withStore(): Promise<TallyScene> {
    return new TallyScene(await this.api.withStore(), this.pool);
  }

  differences(sql: string, ...values: unknown[]): Promise<unknown[]> {
    return this.api.database.query(sql, [this.api.store.id, ...values]);
  }

  /** Runs `act` in concurrent writers, while it repeats `check` and folds the tallies like the worker. */
  async storm({ act, check }: Storm): Promise<void> {
    let isOver = false;
    const checking = (async () => {
      while (!isOver) await check();
    })();
    const folding = (async () => {
      while (!isOver) await foldTallies(this.pool, 1);
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const draw = seededRandom(writer + 1);
        for (let n = 0; n < ACTS_PER_WRITER; n++) await act(draw);
      }),
    ).finally(() => (isOver = true));
    await checking;
    await folding;
    await check();
  }

  async deadlocks(): Promise<number> {
    const sql = `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
    const { rows } = await this.pool.query<{ deadlocks: number }>(sql);
    return rows[0]?.deadlocks ?? 0;
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.api.stop();
  }
}
