import { PipelineStages, StageRetries, type ClaimedStage } from '@app/application';
import { NotFound } from '@app/domain';
import pg from 'pg';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

const STAGE = 'notify-customer';
const CLAIM_MS = 30_000;
const MINUTE_MS = 60_000;
/** More than this file adds. */
const ALL = 1_000;

interface StoredStage {
  readonly state: string;
  readonly attempts: number;
  readonly lastError: string;
  readonly isSetAside: boolean;
  /** In milliseconds from now. */
  readonly dueIn: number;
}

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

interface Stage {
  readonly state: string;
  readonly attempts: number;
  readonly lastError: string;
  /** Times relative to now, in milliseconds. */
  readonly dueIn: number;
  readonly lockedFor: number | null;
}

/** The port, with methods that add and read the stages of orders. */
interface Subject {
  readonly stages: PipelineStages;
  readonly storeId: number;
  /** Adds an order with this confirmation. Returns its id. */
  order(stage: Stage): Promise<string>;
  stageOf(orderId: string): Promise<StoredStage | null>;
  /** Ends the time of all claims. */
  expire(): Promise<void>;
  /** The number of changes that the feed of changes has not numbered. */
  countChanges(): Promise<number>;
}

function onPostgres(): Subject {
  const { app, database, store } = application;
  return {
    stages: app.get(PipelineStages, { strict: false }),
    storeId: store.id,
    order: async ({ state, attempts, lastError, dueIn, lockedFor }) => {
      const order_id = await store.order();
      const at = (ms: number) => new Date(Date.now() + ms);
      const times = { run_at: at(dueIn), locked_until: lockedFor === null ? null : at(lockedFor) };
      const row = { order_id, stage: STAGE, state, attempts, last_error: lastError, position: 3 };
      await store.row('order_stages', { ...row, ...times });
      return order_id;
    },
    stageOf: async (orderId) => {
      const [row] = await database.query<StoredStage>(
        `SELECT state, attempts, last_error AS "lastError", set_aside AS "isSetAside", extract(epoch FROM run_at - now())::float8 * 1000 AS "dueIn"
         FROM order_stages WHERE order_id = $1`,
        [orderId],
      );
      return row ?? null;
    },
    expire: async () => {
      await database.query(
        `UPDATE order_stages SET locked_until = now() - interval '1 s' WHERE locked_until IS NOT NULL`,
      );
    },
    countChanges: async () =>
      (await database.query<{ n: number }>('SELECT count(*)::int AS n FROM change_log'))[0]?.n ?? 0,
  };
}

const due: Stage = { state: 'pending', attempts: 0, lastError: '', dueIn: -1_000, lockedFor: null };
const dead = { state: 'dead', attempts: 1, lastError: 'TypeError' };
const personal = () => new TypeError('ada@example.com has no mailbox');

describe('PipelineStages', () => {
  let subject: Subject;
  beforeAll(() => {
    subject = onPostgres();
  });

  /** Claims all due stages. Returns the claim of this order. */
  const claimOf = async (orderId: string, forMs = CLAIM_MS): Promise<ClaimedStage | undefined> =>
    (await subject.stages.claim(ALL, forMs)).find((claim) => claim.orderId === orderId);

  const claimed = async (stage: Stage = due): Promise<ClaimedStage> => {
    const claim = await claimOf(await subject.order(stage));
    if (!claim) throw new Error('The stage is not claimed');
    return claim;
  };

  it('claims a due stage once, without a change that the feed shows', async () => {
    const orderId = await subject.order({ ...due, attempts: 2 });
    const changes = await subject.countChanges();

    const claim = await claimOf(orderId);

    expect(claim).toMatchObject({ storeId: subject.storeId, orderId, stage: STAGE, attempts: 2, takenOver: false });
    expect(await claimOf(orderId)).toBeUndefined();
    expect(await subject.countChanges()).toBe(changes);
  });

  it('claims the longest due stage first, and no more than asked for', async () => {
    await subject.stages.claim(ALL, CLAIM_MS);
    const [late, latest, later] = [
      await subject.order(due),
      await subject.order({ ...due, dueIn: -3 * MINUTE_MS }),
      await subject.order({ ...due, dueIn: -2 * MINUTE_MS }),
    ];

    const first = await subject.stages.claim(2, CLAIM_MS);
    const second = await subject.stages.claim(2, CLAIM_MS);

    expect(first.map(({ orderId }) => orderId).sort()).toEqual([latest, later].sort());
    expect(second.map(({ orderId }) => orderId)).toEqual([late]);
  });

  it.each<[string, Partial<Stage>]>([
    ['a stage that is due later', { dueIn: MINUTE_MS }],
    ['a stage that another worker holds', { lockedFor: MINUTE_MS }],
    ['a done stage', { state: 'done' }],
    ['a dead stage', { state: 'dead' }],
    ['a held stage', { state: 'held' }],
  ])('does not claim %s', async (_what, stage) => {
    expect(await claimOf(await subject.order({ ...due, ...stage }))).toBeUndefined();
  });

  it('takes a stage over whose worker has not ended its attempt in time', async () => {
    const lost = await claimed();
    await subject.expire();

    expect(await claimOf(lost.orderId)).toMatchObject({ attempts: 0, takenOver: true });
  });

  it('marks a stage as done after a success, counts the attempt, and clears its last error', async () => {
    const claim = await claimed({ ...due, attempts: 2, lastError: 'EPIPE' });

    await subject.stages.succeed(claim);

    expect(await subject.stageOf(claim.orderId)).toMatchObject({ state: 'done', attempts: 3, lastError: '' });
  });

  it('makes a failed stage due again later, and counts the attempt', async () => {
    const claim = await claimed();

    await subject.stages.fail(claim, personal(), MINUTE_MS);

    const stage = await subject.stageOf(claim.orderId);
    expect(stage).toMatchObject({ state: 'pending', attempts: 1, lastError: 'TypeError' });
    expect(stage?.dueIn).toBeGreaterThan(MINUTE_MS - 20_000);
    expect(await claimOf(claim.orderId)).toBeUndefined();
  });

  it('marks a stage as dead when no attempt follows', async () => {
    const claim = await claimed();

    await subject.stages.fail(claim, personal(), null);

    expect(await subject.stageOf(claim.orderId)).toMatchObject({ ...dead, isSetAside: false });
  });

  it('stores the code of an error, and never its message', async () => {
    const claim = await claimed();

    await subject.stages.fail(claim, Object.assign(personal(), { code: 'EENVELOPE' }), 0);

    expect(await subject.stageOf(claim.orderId)).toMatchObject({ lastError: 'EENVELOPE' });
  });

  it('lets only the last claimant end the attempt at a stage that was taken over', async () => {
    const lost = await claimed();
    await subject.expire();
    const current = await claimOf(lost.orderId, 2 * CLAIM_MS);
    if (!current) throw new Error('The stage is not taken over');

    await subject.stages.succeed(lost);
    await subject.stages.fail(lost, personal(), null);
    await subject.stages.setAside(lost, personal());
    expect(await subject.stageOf(lost.orderId)).toMatchObject({ state: 'pending', attempts: 0, lastError: '' });

    await subject.stages.fail(current, personal(), 0);
    expect(await subject.stageOf(lost.orderId)).toMatchObject({ state: 'pending', attempts: 1 });
  });

  it('does not change the stages of another store', async () => {
    const claim = { ...(await claimed()), storeId: 999_999 };

    await subject.stages.succeed(claim);
    await subject.stages.fail(claim, personal(), null);

    expect(await subject.stageOf(claim.orderId)).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

describe('PostgresPipelineStages', () => {
  it('does not wait for a stage that another worker claims or an operator retries at the same moment', async () => {
    const stages = application.app.get(PipelineStages, { strict: false });
    await stages.claim(ALL, CLAIM_MS);
    const worker = new pg.Client({ connectionString: application.database.url });
    try {
      const [theirs, ours] = [await application.store.order(), await application.store.order()];
      for (const order_id of [theirs, ours]) {
        await application.store.row('order_stages', { order_id, stage: STAGE, state: 'pending', position: 3 });
      }
      await worker.connect();
      await worker.query('BEGIN');
      await worker.query(`UPDATE order_stages SET locked_until = now() + interval '1 minute' WHERE order_id = $1`, [
        theirs,
      ]);

      const claims = await stages.claim(ALL, CLAIM_MS);

      expect(claims.map(({ orderId }) => orderId)).toEqual([ours]);
    } finally {
      await worker.end();
    }
  });
});

interface RetriedStage {
  readonly state: 'pending' | 'dead' | 'done';
  readonly attempts: number;
  /** Until when a worker holds the stage, from now; null while none does. */
  readonly locked: string | null;
}

describe('StageRetries on PostgreSQL', () => {
  /** An order with a confirmation in this state, due in an hour. */
  async function anOrder({ state, attempts, locked }: RetriedStage): Promise<string> {
    const order_id = await application.store.order();
    await application.store.row('order_stages', { order_id, stage: 'notify-customer', state, attempts, position: 3 });
    await application.database.query(
      `UPDATE order_stages SET run_at = now() + interval '1 hour', locked_until = now() + $2::interval WHERE order_id = $1`,
      [order_id, locked],
    );
    return order_id;
  }

  const retry = (orderId: string) =>
    application.app.get(StageRetries).retry({ storeId: application.store.id, orderId });

  const stateOf = async (orderId: string) => {
    const [stage] = await application.database.query<Record<string, unknown>>(
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

  it.each<[string, RetriedStage, object, object]>([
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
    const worker = new pg.Client({ connectionString: application.database.url });
    await worker.connect();
    await worker.query('BEGIN');
    await worker.query(`UPDATE order_stages SET locked_until = now() + interval '20 seconds' WHERE order_id = $1`, [
      orderId,
    ]);

    const result = retry(orderId);
    await eventually(async () => expect(await lockWaits(application.database, '%order_stages%')).toBe(1));
    await worker.query('COMMIT');
    await worker.end();

    expect(await result).toMatchObject(running);
    expect(await stateOf(orderId)).toMatchObject({ attempts: 1, claimed: true });
  });

  it('dismisses the dead letters of an order, and no other stage, and counts them again after a retry', async () => {
    const orders = await Promise.all([
      anOrder({ state: 'dead', attempts: 12, locked: null }),
      anOrder({ state: 'pending', attempts: 1, locked: null }),
    ]);
    const retries = application.app.get(StageRetries);
    const dismiss = (orderId: string, storeId = application.store.id) => retries.dismiss({ storeId, orderId });
    const setAside = () =>
      application.database.query<object>(
        'SELECT state, set_aside FROM order_stages WHERE order_id = ANY ($1) ORDER BY attempts DESC',
        [orders],
      );

    expect([await dismiss(orders[0]), await dismiss(orders[1])]).toEqual([['notify-customer'], []]);
    expect(await dismiss(orders[0])).toEqual([]);
    await expect(dismiss(orders[0], 999_999)).rejects.toThrow(NotFound);
    expect(await setAside()).toEqual([
      { state: 'dead', set_aside: true },
      { state: 'pending', set_aside: false },
    ]);

    expect(await retry(orders[0])).toMatchObject(retried);
    expect(await setAside()).toEqual(expect.arrayContaining([{ state: 'pending', set_aside: false }]));
    expect(await setAside()).not.toContainEqual(expect.objectContaining({ set_aside: true }));
  });

  it('makes a stage due once when two operators retry it at the same moment', async () => {
    const orderId = await anOrder({ state: 'pending', attempts: 1, locked: null });

    const results = await Promise.all([retry(orderId), retry(orderId)]);

    expect(results.flatMap(({ stages }) => stages)).toEqual(['notify-customer']);
    expect(await stateOf(orderId)).toEqual(waiting);
  });
});
