import { StageRetries } from '@app/application';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Stage {
  readonly state: 'pending' | 'dead' | 'done';
  readonly attempts: number;
}

/** The job of a stage: its lock is null while no worker holds it. */
interface Job {
  readonly locked: string | null;
}

describe('a retry of stages', () => {
  let api: RunningApi;
  let pool: pg.Pool;
  beforeAll(async () => {
    api = await startApi();
    pool = new pg.Pool({ connectionString: api.database.url });
  });
  afterAll(async () => {
    await pool.end();
    await api.stop();
  });

  const jobKey = (orderId: string) => `${api.store.id}:${orderId}:notify-customer`;

  /** An order with a confirmation in this state, which no worker attempts. */
  async function anOrder({ state, attempts }: Stage, job: Job | null): Promise<string> {
    const { store, database } = api;
    const order_id = await store.order();
    const stage = 'notify-customer';
    await store.row('order_stages', { order_id, stage, state, attempts, queued: true, position: 3 });
    if (!job) return order_id;
    const added = `SELECT graphile_worker.add_job('order-notification', '{}', job_key := $1, max_attempts := 12)`;
    await database.query(added, [jobKey(order_id)]);
    await database.query(
      `UPDATE graphile_worker._private_jobs SET attempts = $2, locked_at = now() - $3::interval,
         locked_by = CASE WHEN $3::interval IS NOT NULL THEN 'worker' END WHERE key = $1`,
      [jobKey(order_id), attempts, job.locked],
    );
    return order_id;
  }

  const retry = (orderId: string) => api.app.get(StageRetries).retry({ storeId: api.store.id, orderId });

  const stateOf = async (orderId: string) => {
    const [stage] = await api.database.query<{ state: string; queued: boolean }>(
      'SELECT state, queued FROM order_stages WHERE order_id = $1',
      [orderId],
    );
    const jobs = await api.database.query(`SELECT FROM graphile_worker._private_jobs WHERE key = $1`, [
      jobKey(orderId),
    ]);
    return { ...stage, jobs: jobs.length };
  };

  const running = { stages: [], running: ['notify-customer'] };
  const retried = { stages: ['notify-customer'], running: [] };
  const none = { stages: [], running: [] };
  const waiting = { state: 'pending', queued: false, jobs: 0 };

  it.each<[string, Stage, Job | null, object, object]>([
    [
      'takes a stage that waits for its next attempt',
      { state: 'pending', attempts: 1 },
      { locked: null },
      retried,
      waiting,
    ],
    ['takes a dead stage', { state: 'dead', attempts: 12 }, null, retried, waiting],
    ['takes a stage without a job', { state: 'pending', attempts: 2 }, null, retried, waiting],
    [
      'takes a stage whose worker is lost since a minute',
      { state: 'pending', attempts: 1 },
      { locked: '61 seconds' },
      retried,
      waiting,
    ],
    [
      'leaves a stage alone while its attempt runs',
      { state: 'pending', attempts: 2 },
      { locked: '20 seconds' },
      running,
      { state: 'pending', queued: true, jobs: 1 },
    ],
    [
      'leaves a stage alone that waits for its first attempt',
      { state: 'pending', attempts: 0 },
      { locked: null },
      none,
      { state: 'pending', queued: true, jobs: 1 },
    ],
    ['leaves a done stage alone', { state: 'done', attempts: 1 }, null, none, { state: 'done', queued: true, jobs: 0 }],
  ])('%s', async (_what, stage, job, result, after) => {
    const orderId = await anOrder(stage, job);

    expect(await retry(orderId)).toMatchObject(result);

    expect(await stateOf(orderId)).toEqual(after);
  });

  it('takes a dead stage whose last job its worker has not yet removed', async () => {
    const orderId = await anOrder({ state: 'dead', attempts: 12 }, { locked: '1 second' });

    expect(await retry(orderId)).toMatchObject(retried);

    expect(await stateOf(orderId)).toMatchObject({ state: 'pending', queued: false });
  });

  it('leaves a stage alone whose job a worker claims at the same moment', async () => {
    const orderId = await anOrder({ state: 'pending', attempts: 1 }, { locked: null });
    const worker = await pool.connect();
    await worker.query('BEGIN');
    await worker.query(`SELECT FROM graphile_worker._private_jobs WHERE key = $1 FOR UPDATE`, [jobKey(orderId)]);

    const result = await retry(orderId);

    await worker.query('COMMIT');
    worker.release();
    expect(result).toMatchObject(running);
    expect(await stateOf(orderId)).toEqual({ state: 'pending', queued: true, jobs: 1 });
  });

  it('leaves a stage alone that the relay queues and a worker claims while the retry waits', async () => {
    const orderId = await anOrder({ state: 'pending', attempts: 1 }, { locked: null });
    await retry(orderId);
    const relay = await pool.connect();
    await relay.query('BEGIN');
    await relay.query('UPDATE order_stages SET queued = true WHERE order_id = $1', [orderId]);
    const added = `SELECT graphile_worker.add_job('order-notification', '{}', job_key := $1)`;
    await relay.query(added, [jobKey(orderId)]);
    await relay.query(
      `UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'worker' WHERE key = $1`,
      [jobKey(orderId)],
    );

    const result = retry(orderId);
    await eventually(async () => expect(await lockWaits(api.database, '%order_stages%')).toBe(1));
    await relay.query('COMMIT');
    relay.release();

    expect(await result).toMatchObject(running);
    expect(await stateOf(orderId)).toEqual({ state: 'pending', queued: true, jobs: 1 });
  });

  it('queues one job for a stage that is retried twice', async () => {
    const orderId = await anOrder({ state: 'pending', attempts: 1 }, { locked: null });

    expect(await Promise.all([retry(orderId), retry(orderId)])).toMatchObject([retried, retried]);

    expect(await stateOf(orderId)).toEqual(waiting);
  });
});
