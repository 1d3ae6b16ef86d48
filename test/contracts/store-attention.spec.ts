import { StoreAttention } from '@app/application';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

const NOTHING = {
  ...{ held: 0, refundDue: 0, failedMails: 0, toShip: 0, waitingLong: 0 },
  ...{ webhooksFailing: 0, webhooksPaused: 0, keysExpiring: 0, outOfStock: 0, lowStock: 0 },
};
const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000);

describe('StoreAttention', () => {
  let application: RunningApplication;
  let attention: StoreAttention;
  let store: StoreFixture;
  let other: StoreFixture;
  beforeAll(async () => {
    application = await startApplication();
    attention = application.app.get(StoreAttention, { strict: false });
  });
  afterAll(() => application.stop());
  beforeEach(async () => {
    store = await StoreFixture.create(application.database);
    other = await StoreFixture.create(application.database);
  });
  afterEach(async () => expect(await attention.count(other.id, false)).toEqual(NOTHING));

  const order = (fulfillment_status: string, days = 0, more: object = {}) =>
    store.order({ status: 'PENDING', fulfillment_status, created_at: daysFromNow(-days), ...more });
  const stage = (order_id: string, values: object) =>
    store.row('order_stages', { order_id, stage: 'notify-customer', ...values });

  it('counts nothing in a new store', async () => {
    expect(await attention.count(store.id, false)).toEqual(NOTHING);
  });

  it('counts the orders to ship, and those that wait, without those under review', async () => {
    for (const days of [0, 1.9, 2.1, 400])
      for (const status of ['PENDING', 'CONFIRMED', 'PROCESSING']) await order(status, days);
    for (const status of ['SHIPPED', 'DELIVERED', 'CANCELLED', 'RETURNED']) await order(status, 3);
    await order('PENDING', 3, { is_test: true });
    for (const days of [0, 3]) await order('PENDING', days, { held_reasons: ['manual'] });
    await order('CANCELLED', 3, { held_reasons: [] });

    expect(await attention.count(store.id, false)).toEqual({ ...NOTHING, held: 3, toShip: 12, waitingLong: 6 });
    expect(await attention.count(store.id, true)).toEqual({ ...NOTHING, toShip: 1, waitingLong: 1 });
  });

  it('counts the orders of which money must be paid back', async () => {
    await order('CANCELLED', 400, { balance: -5 });
    await order('SHIPPED');

    expect(await attention.count(store.id, false)).toEqual({ ...NOTHING, refundDue: 1 });
  });

  it('counts mails that failed, other than because of their recipient', async () => {
    const id = await order('SHIPPED');
    const failed = { state: 'dead', outcome: 'failed' };
    await stage(id, failed);
    await stage(id, { ...failed, stage: 'notify-shipment', reference: 'S-1' });
    await stage(id, { ...failed, stage: 'notify-shipment', reference: 'S-2', dismissed: true });
    await stage(id, { stage: 'notify-merchant', state: 'dead', outcome: 'undeliverable' });
    await stage(id, { stage: 'notify-refund', state: 'pending' });

    expect(await attention.count(store.id, false)).toEqual({ ...NOTHING, failedMails: 2 });
  });

  it('counts webhooks that fail, and those that the service has paused', async () => {
    const failing_since = new Date();
    for (const reason of ['requested', 'gone', 'failing', 'cursor_expired']) await store.webhook({ reason });
    const active = { state: 'active', reason: null, due_at: daysFromNow(1) };
    await store.webhook(active);
    await store.webhook({ ...active, failing_since });
    await store.webhook({ reason: 'requested', failing_since });

    expect(await attention.count(store.id, false)).toEqual({ ...NOTHING, webhooksFailing: 1, webhooksPaused: 3 });
  });

  it('counts active keys without a successor that end within 14 days', async () => {
    const ending = async (days: number, values: object = {}) => {
      const id = uuidv7();
      const known = {
        key_hash: Buffer.concat([Buffer.alloc(16), Buffer.from(id.replaceAll('-', ''), 'hex')]),
        mode: 'live',
      };
      await store.row('api_keys', {
        id,
        ...known,
        prefix: '',
        last_four: '',
        expires_at: daysFromNow(days),
        ...values,
      });
      return id;
    };
    const successor_id = await ending(13.9);
    for (const days of [-0.1, 14.1]) await ending(days);
    await ending(1, { successor_id });
    await ending(1, { status: 'DEACTIVATED' });

    await store.session('owner'); // the session ends on the same day

    expect(await attention.count(store.id, false)).toEqual({ ...NOTHING, keysExpiring: 1 });
  });

  it('counts sellable units without stock', async () => {
    await store.product({ stock: 1 });
    await store.product({ stock: 0 });
    await store.product({ stock: 0, status: 'DRAFT' });
    await store.variant(await store.product(), { stock: 0 });

    expect(await attention.count(store.id, false)).toEqual({ ...NOTHING, outOfStock: 2 });
  });
});
