import { PipelineStages } from '@app/application';
import { v7 as uuidv7 } from 'uuid';
import { InMemoryPipelineStages, type Stage } from '../support/in-memory/in-memory-pipeline-stages.js';
import { startApi } from '../support/start-api.js';

const STAGE = 'notify-customer';

/** The port, with methods that add and read the stages of orders. */
interface Subject {
  readonly stages: PipelineStages;
  readonly storeId: number;
  /** Adds an order with two stages in this state. Returns its id. */
  order(stage: Stage): Promise<string>;
  /** The customer's and the merchant's stage. */
  stagesOf(orderId: string): Promise<(Stage | null)[]>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const stages = new InMemoryPipelineStages();
  return Promise.resolve({
    stages,
    storeId: 1,
    order: (stage) => {
      const orderId = uuidv7();
      stages.set(1, orderId, STAGE, stage);
      stages.set(1, orderId, 'notify-merchant', stage);
      return Promise.resolve(orderId);
    },
    stagesOf: (orderId) => Promise.resolve([stages.get(1, orderId, STAGE), stages.get(1, orderId, 'notify-merchant')]),
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const { app, database, store } = api;
  return {
    stages: app.get(PipelineStages, { strict: false }),
    storeId: store.id,
    order: async ({ state, attempts, lastError }) => {
      const order_id = await store.order();
      for (const [position, stage] of [STAGE, 'notify-merchant'].entries()) {
        await store.row('order_stages', { order_id, stage, state, attempts, last_error: lastError, position });
      }
      return order_id;
    },
    stagesOf: (orderId) =>
      database.query<Stage>(
        `SELECT state, attempts, last_error AS "lastError" FROM order_stages WHERE order_id = $1 ORDER BY position`,
        [orderId],
      ),
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('PipelineStages %s', (_name, open) => {
  let subject: Subject;
  beforeAll(async () => (subject = await open()));
  afterAll(() => subject.close());

  const pending: Stage = { state: 'pending', attempts: 0, lastError: '' };
  const personal = () => new TypeError('ada@example.com has no mailbox');

  it('counts each attempt that begins, only for its stage', async () => {
    const { stages, storeId } = subject;
    const orderId = await subject.order(pending);

    expect(await stages.begin(storeId, orderId, STAGE)).toBe(true);
    expect(await stages.begin(storeId, orderId, STAGE)).toBe(true);

    expect(await subject.stagesOf(orderId)).toEqual([{ ...pending, attempts: 2 }, pending]);
  });

  it.each(['done', 'dead', 'held'])('does not begin an attempt when the stage is %s', async (state) => {
    const stage = { state, attempts: 1, lastError: 'EPIPE' };
    const orderId = await subject.order(stage);

    expect(await subject.stages.begin(subject.storeId, orderId, STAGE)).toBe(false);

    expect(await subject.stagesOf(orderId)).toEqual([stage, stage]);
  });

  it('does not begin an attempt for an unknown order or an order of another store', async () => {
    const { stages, storeId } = subject;
    const orderId = await subject.order(pending);

    expect(await stages.begin(storeId, uuidv7(), STAGE)).toBe(false);
    expect(await stages.begin(999_999, orderId, STAGE)).toBe(false);
  });

  it('marks a stage as done after a success, and clears its last error', async () => {
    const { stages, storeId } = subject;
    const failed = { state: 'pending', attempts: 2, lastError: 'EPIPE' };
    const orderId = await subject.order(failed);

    await stages.succeed(storeId, orderId, STAGE);

    expect(await subject.stagesOf(orderId)).toEqual([{ state: 'done', attempts: 2, lastError: '' }, failed]);
  });

  it.each([
    ['pending after a failure before the last attempt', false, 'pending', true],
    ['dead after the failure of the last attempt', true, 'dead', false],
  ])('marks a stage as %s', async (_what, last, state, begins) => {
    const { stages, storeId } = subject;
    const orderId = await subject.order({ ...pending, attempts: 1 });

    await stages.fail(storeId, orderId, STAGE, personal(), last);

    const [failed, other] = await subject.stagesOf(orderId);
    expect(failed).toEqual({ state, attempts: 1, lastError: 'TypeError' });
    expect(other).toEqual({ ...pending, attempts: 1 });
    expect(await stages.begin(storeId, orderId, STAGE)).toBe(begins);
  });

  it('stores the code of an error, and never its message', async () => {
    const { stages, storeId } = subject;
    const orderId = await subject.order(pending);

    await stages.fail(storeId, orderId, STAGE, Object.assign(personal(), { code: 'EENVELOPE' }), false);

    expect((await subject.stagesOf(orderId))[0]).toEqual({ ...pending, lastError: 'EENVELOPE' });
  });

  it('does not change the stages of another store', async () => {
    const orderId = await subject.order(pending);

    await subject.stages.succeed(999_999, orderId, STAGE);
    await subject.stages.fail(999_999, orderId, STAGE, personal(), true);

    expect(await subject.stagesOf(orderId)).toEqual([pending, pending]);
  });
});
