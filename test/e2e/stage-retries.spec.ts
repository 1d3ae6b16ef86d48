import { StageRetries } from '@app/application';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Stage {
  readonly state: 'pending' | 'dead' | 'done';
  readonly attempts: number;
  /** Until when a worker holds the stage, from now; null while none does. */
  readonly locked: string | null;
}

describe('a retry of stages', () => {
  let api: RunningApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  /** An order with a confirmation in this state, due in an hour. */
  async function anOrder({ state, attempts, locked }: Stage): Promise<string> {
    const order_id = await api.store.order();
    await api.store.row('order_stages', { order_id, stage: 'notify-customer', state, attempts, position: 3 });
    await api.database.query(
      `UPDATE order_stages SET run_at = now() + interval '1 hour', locked_until = now() + $2::interval WHERE order_id = $1`,
      [order_id, locked],
    );
    return order_id;
  }

  const retry = (orderId: string) => api.app.get(StageRetries).retry({ storeId: api.store.id, orderId });

  const stateOf = async (orderId: string) => {
    const [stage] = await api.database.query<Record<string, unknown>>(
      `SELECT state, attempts, run_at <= now() AS due, locked_until IS NOT NULL AS claimed
       FROM order_stages WHERE order_id = $1`,
      [orderId],
    );
    return stage;
  };

  const running = { stages: [], running: ['notify-customer'] };
  const retried = { stages: ['notify-customer'], running: [] };
  const none = { stages: [], running: [] };
  const waiting = { state: 'pending', attempts: 0, due: true, claimed: false };

  it.each<[string, Stage, object, object]>([
    [
      'takes a stage that waits for its next attempt',
      { state: 'pending', attempts: 1, locked: null },
      retried,
      waiting,
    ],
    ['takes a dead stage', { state: 'dead', attempts: 12, locked: null }, retried, waiting],
    ['takes a stage whose worker is lost', { state: 'pending', attempts: 0, locked: '-1 second' }, retried, waiting],
    [
      'leaves a stage alone while its attempt runs',
      { state: 'pending', attempts: 2, locked: '20 seconds' },
      running,
      { state: 'pending', attempts: 2, due: false, claimed: true },
    ],
    [
      'leaves a stage alone while its first attempt runs',
      { state: 'pending', attempts: 0, locked: '20 seconds' },
      running,
      { state: 'pending', attempts: 0, due: false, claimed: true },
    ],
    [
      'leaves a stage alone that waits for its first attempt',
      { state: 'pending', attempts: 0, locked: null },
      none,
      { state: 'pending', attempts: 0, due: false, claimed: false },
    ],
    [
      'leaves a done stage alone',
      { state: 'done', attempts: 1, locked: null },
      none,
      { state: 'done', attempts: 1, due: false, claimed: false },
    ],
  ])('%s', async (_what, stage, result, after) => {
    const orderId = await anOrder(stage);

    expect(await retry(orderId)).toMatchObject(result);

    expect(await stateOf(orderId)).toEqual(after);
  });

  it('leaves a stage alone that a worker claims while the retry waits', async () => {
    const orderId = await anOrder({ state: 'pending', attempts: 1, locked: null });
    const worker = new pg.Client({ connectionString: api.database.url });
    await worker.connect();
    await worker.query('BEGIN');
    await worker.query(`UPDATE order_stages SET locked_until = now() + interval '20 seconds' WHERE order_id = $1`, [
      orderId,
    ]);

    const result = retry(orderId);
    await eventually(async () => expect(await lockWaits(api.database, '%order_stages%')).toBe(1));
    await worker.query('COMMIT');
    await worker.end();

    expect(await result).toMatchObject(running);
    expect(await stateOf(orderId)).toMatchObject({ attempts: 1, claimed: true });
  });

  it('makes a stage due once when two operators retry it at the same moment', async () => {
    const orderId = await anOrder({ state: 'pending', attempts: 1, locked: null });

    const results = await Promise.all([retry(orderId), retry(orderId)]);

    expect(results.flatMap(({ stages }) => stages)).toEqual(['notify-customer']);
    expect(await stateOf(orderId)).toEqual(waiting);
  });
});
