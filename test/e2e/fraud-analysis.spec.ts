import { FraudScreening } from '@app/application';
import type { FraudSignals } from '@app/domain';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { eventually } from '../support/eventually.js';
import { FraudScene } from '../support/fraud-scene.js';
import { lockWaits } from '../support/lock-waits.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('fraud analysis', () => {
  let api: RunningApi;
  let scene: FraudScene;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());
  beforeEach(async () => (scene = await FraudScene.create(api)));

  describe('of unusual orders', () => {
    it('sets REVIEW with both rules for an order far above the usual amount and quantity', async () => {
      await scene.history();

      expect(await scene.assess({}, 10)).toEqual({
        verdict: 'REVIEW',
        score: 60,
        reasons: [
          { rule: 'amount_above_usual', score: 30 },
          { rule: 'quantity_above_usual', score: 30 },
        ],
      });
    });

    it('matches only the rule of the value that is unusual: quantity or amount', async () => {
      await scene.history({ total_amount: 100_000 });
      expect(await scene.rules({}, 10)).toEqual(['quantity_above_usual']);

      scene = await FraudScene.create(api, 5000);
      await scene.history();
      expect(await scene.rules({}, 1)).toEqual(['amount_above_usual']);
    });

    it.each([
      ['too few orders', {}, 49],
      ['failed orders', { status: 'FAILED' }, 50],
      ['cancelled orders', { status: 'CANCELLED' }, 50],
      ['test orders', { is_test: true }, 50],
      ['orders in another currency', { currency: 'JPY' }, 50],
      ['credit notes', { total_amount: -1_000 }, 50],
    ])('has no baseline from %s', async (_case, values, count) => {
      await scene.history(values, count);

      expect(await scene.rules({}, 10)).toEqual([]);
    });

    it('leaves orders out of the baseline while they wait for review', async () => {
      await scene.history();
      const waiting = { source: 'WEBSITE', fulfillment_status: 'PENDING', total_amount: 1_000_000 };
      for (let n = 0; n < 5; n++) {
        const order_id = await scene.store.order(waiting);
        await scene.store.orderLine(order_id, { quantity: 500 });
        await scene.store.row('fraud_assessments', { order_id, verdict: 'REVIEW', score: 60 });
      }

      expect(await scene.rules({}, 10)).toEqual(['amount_above_usual', 'quantity_above_usual']);
    });

    it.each([
      ['held', ['amount_above_usual', 'quantity_above_usual']],
      ['done', ['amount_above_usual']],
    ])(
      'includes an order under review in the baseline after its release only: its confirmation is %s',
      async (state, rules) => {
        await scene.history();
        const order_id = await scene.store.order({ source: 'WEBSITE', fulfillment_status: 'PENDING' });
        await scene.store.orderLine(order_id, { quantity: 500 });
        await scene.store.row('fraud_assessments', { order_id, verdict: 'REVIEW', score: 60 });
        await scene.store.row('order_stages', { order_id, stage: 'notify-customer', state, position: 3 });

        expect(await scene.rules({}, 10)).toEqual(rules);
      },
    );

    it('includes an order in the baseline after its review when it was shipped', async () => {
      await scene.history();
      const order_id = await scene.store.order({ source: 'WEBSITE', fulfillment_status: 'SHIPPED' });
      await scene.store.orderLine(order_id, { quantity: 500 });
      await scene.store.row('fraud_assessments', { order_id, verdict: 'REVIEW', score: 60 });

      expect(await scene.rules({}, 10)).toEqual(['amount_above_usual']);
    });

    it('uses a separate baseline for each store', async () => {
      await scene.history();
      expect((await scene.assess({}, 10)).verdict).toBe('REVIEW');

      scene = await FraudScene.create(api);

      expect((await scene.assess({}, 10)).verdict).toBe('ACCEPT');
    });

    it('holds the confirmation of an order over the review amount', async () => {
      scene = await FraudScene.create(api, 50_000);
      await scene.configure({ review_amount: 50_000 });

      expect(await scene.read(scene.place({}))).toMatchObject({
        fulfillment_status: 'PENDING',
        fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] },
        pipeline: [{}, {}, { stage: 'notify-customer', state: 'held' }, { stage: 'notify-merchant', state: 'pending' }],
      });
    });
  });

  describe('while it is unavailable', () => {
    const connect = async () => {
      const client = new pg.Client({ connectionString: api.database.url });
      await client.connect();
      return client;
    };
    const unavailable = { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'analysis_unavailable', score: 50 }] };
    const signals: FraudSignals = {
      email: '',
      phone: '',
      address: { address: '', city: '', zip: '' },
      total: 1,
      quantities: [1],
    };
    const poolOf = () => (api.app.get(DataSource).driver as unknown as { master: pg.Pool }).master;
    const assess = async (storeId = scene.store.id) => {
      const startedAt = Date.now();
      const assessment = await api.app.get(FraudScreening).begin(storeId, signals).assess(signals);
      return { assessment, took: Date.now() - startedAt };
    };
    const poolIsIdle = () =>
      eventually(() => {
        const { totalCount, idleCount, waitingCount } = poolOf();
        expect([idleCount, waitingCount]).toEqual([totalCount, 0]);
      });

    it('creates the order under review while the analysis waits for a lock', async () => {
      const locker = await connect();
      await locker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
      const startedAt = Date.now();

      const placed = scene.place({});
      // The analysis has timed out; now the insert of the order waits for the same lock.
      await eventually(async () => expect(await lockWaits(api.database, '%INSERT INTO orders%')).toBe(1));
      await locker.end();

      expect((await placed).statusCode).toBe(201);
      expect(Date.now() - startedAt).toBeLessThan(1000);
      expect((await scene.read(placed)).fraud).toEqual(unavailable);
    });

    it.each(['orders', 'order_lines'])('releases its connections while the table %s is still locked', async (table) => {
      const locker = await connect();
      await locker.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);

      const attempts = await Promise.all(Array.from({ length: 12 }, () => assess()));
      await poolIsIdle(); // the table is still locked
      await locker.end();

      expect(attempts.map(({ assessment }) => assessment)).toEqual(Array(12).fill(unavailable));
      expect(Math.max(...attempts.map(({ took }) => took))).toBeLessThan(450);
      expect((await assess()).assessment.verdict).toBe('ACCEPT');
    });

    it('does not wait for a connection of an exhausted pool', async () => {
      const taken = await Promise.all(Array.from({ length: 5 }, () => poolOf().connect()));

      const { assessment, took } = await assess();
      taken.forEach((client) => client.release());
      await poolIsIdle();

      expect(assessment).toEqual(unavailable);
      expect(took).toBeLessThan(450);
      expect((await assess()).assessment.verdict).toBe('ACCEPT');
    });

    it('sets REVIEW when the connection of the analysis breaks', async () => {
      const locker = await connect();
      await locker.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');

      const assessing = assess();
      const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      await eventually(async () => expect(await api.database.query(kill)).not.toEqual([]));

      expect((await assessing).assessment).toEqual(unavailable);
      await locker.end();
      await poolIsIdle();
      expect((await assess()).assessment.verdict).toBe('ACCEPT');
    });

    it('sets REVIEW for a store that does not exist', async () => {
      expect((await assess(2_000_000_000)).assessment).toEqual(unavailable);
    });
  });
});
