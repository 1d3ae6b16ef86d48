import type { ChangedOrder, ChangeOrder, OrderKey } from '@app/application';
import {
  ANALYSIS_UNAVAILABLE,
  rulesOf,
  NotHeld,
  OrderCancelled,
  orderEvent,
  RefundExceedsLine,
  type FraudAssessment,
  type FraudVerdict,
  type OrderChange,
  type PlacedOrder,
} from '@app/domain';
import { ACCEPTED, anOrder, placeOrder } from '../builders/placed-order.js';
import { CANCELLATION, changing, PAYMENT } from '../support/changing.js';
import { placingPorts, type PlacingPorts } from './placing.js';

const SHIPMENT = {
  reference: 'S-1',
  items: null,
  carrier: '',
  trackingNumber: '',
  trackingUrl: '',
  status: 'shipped',
  shippedAt: null,
  notify: false,
  requestHash: 'hash',
} as const;
const REFUND = {
  reference: 're_1',
  amount: 1000,
  reason: null,
  credited: null,
  lines: null,
  restock: true,
  restockTo: null,
  notify: false,
  at: null,
  requestHash: 'hash',
};

const open = placingPorts();

const ACCEPT: FraudVerdict = 'ACCEPT';

describe('OrderLifecycle', () => {
  let ports: PlacingPorts;
  let changes: ChangeOrder;
  beforeAll(async () => {
    ports = await open();
    changes = ports.changes;
  });

  async function placed({ stock = [3, 2], quantity = 4, verdict = ACCEPT } = {}) {
    const productId = await ports.product({ stock });
    const order = anOrder(ports.storeId, { items: [{ productId, quantity }] });
    await placeOrder(ports.placement, order, { assessment: { verdict, score: 0, reasons: [] } });
    return { productId, id: changing({ storeId: ports.storeId, orderId: order.id }), orderId: order.id };
  }
  const statusesOf = ({ order: { status, fulfillmentStatus } }: ChangedOrder) => [status, fulfillmentStatus];

  it('returns the stock of a cancelled order once, to the bins it came from', async () => {
    const { id, productId } = await placed();
    expect(await ports.onHand(productId)).toBe(1);

    const cancelled = await changes.cancel(id, CANCELLATION);
    const again = await changes.cancel(id, CANCELLATION);

    expect([...statusesOf(cancelled), cancelled.restocked]).toEqual(['CANCELLED', 'CANCELLED', 4]);
    expect([...statusesOf(again), again.restocked]).toEqual(['CANCELLED', 'CANCELLED', 0]);
    expect(await ports.bins(productId)).toEqual([3, 2]);
  });

  it('returns the stock once when eight cancellations arrive at the same moment', async () => {
    const { id, productId } = await placed();

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => changes.cancel(id, CANCELLATION)));

    expect(outcomes.map(({ restocked }) => restocked).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 4]);
    expect(await ports.onHand(productId)).toBe(5);
  });

  it('returns the units of a line to the bins that supplied them, never more than they supplied', async () => {
    const { id, productId } = await placed();
    await changes.ship(id, { ...SHIPMENT, items: null });
    const refund = (reference: string, quantity: number) =>
      changes.refund(id, { ...REFUND, reference, lines: [{ line: 1, quantity }] });
    await changes.pay(id, { ...PAYMENT, amount: 4000 });

    const restocked = [(await refund('re_1', 3)).restocked, (await refund('re_2', 1)).restocked];

    expect(restocked).toEqual([3, 1]);
    expect(await ports.bins(productId)).toEqual([3, 2]);
    await expect(refund('re_3', 1)).rejects.toThrow(RefundExceedsLine);
  });

  it('ships each unit once when eight shipments of all that is left arrive at the same moment', async () => {
    const { id } = await placed();
    const ship = (n: number) => changes.ship(id, { ...SHIPMENT, reference: `S-${n}` });

    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => ship(n)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { order } = await changes.setStatus(id, {});
    expect(order.lines.map(({ shippedQuantity }) => shippedQuantity)).toEqual([4]);
  });

  it('queues the confirmation of an order once when eight releases arrive at the same moment', async () => {
    const { id, orderId } = await placed({ verdict: 'REVIEW' });

    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => changes.release(id)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(changes.release(id)).rejects.toThrow(NotHeld);
    expect(await ports.stages(orderId)).toContain('notify-customer pending');
  });

  it('rejects the release and the retry of a cancelled order', async () => {
    const { id, orderId } = await placed({ verdict: 'REVIEW' });
    await changes.cancel(id, CANCELLATION);

    await expect(changes.release(id)).rejects.toThrow(OrderCancelled);

    const retried = await ports.retries.retry({ storeId: ports.storeId, orderId });
    expect(retried).toEqual({ stages: [], running: [], heldReasons: null, cancelled: true });
    expect(await ports.stages(orderId)).toContain('notify-customer dead');
  });
});

function review(...rules: string[]): FraudAssessment {
  return { verdict: 'REVIEW', score: 50 * rules.length, reasons: rules.map((rule) => ({ rule, score: 50 })) };
}

describe('HeldOrders and StageRetries', () => {
  let ports: PlacingPorts;
  let productId: number;
  beforeAll(async () => {
    ports = await open();
    productId = await ports.product({ stock: [1_000] });
  });

  async function placed(assessment: FraudAssessment) {
    const order = anOrder(ports.storeId, { items: [{ productId, quantity: 1 }] });
    await placeOrder(ports.placement, order, { assessment });
    return { storeId: ports.storeId, orderId: order.id };
  }
  const hold = async (id: OrderKey, assessment: FraudAssessment) => {
    const events = [orderEvent('contact_changed')];
    const decide = (order: PlacedOrder): OrderChange => ({
      ...order.unchanged(),
      events,
      effects: [
        { kind: 'review', to: { heldFor: rulesOf(assessment) } },
        { kind: 'assessment', ...assessment },
      ],
    });
    await ports.lifecycle.change({ ...changing(id), idempotency: null, decide });
  };
  const settle = (id: OrderKey, assessment: FraudAssessment) => ports.held.settle(id, assessment);
  const heldFor = async (id: OrderKey) => (await ports.retries.retry(id)).heldReasons;
  const customerStage = async ({ orderId }: { orderId: string }) => (await ports.stages(orderId))[0];
  const list = async (reasons: string[] | null, subdomain: string | null = ports.store.subdomain) =>
    (await ports.held.list({ subdomain, reasons }, 1_000, null)).map(({ orderId }) => orderId);

  it.each(['pending', 'done'])('settle an order that is held later, whose confirmation is %s', async (state) => {
    const id = await placed(ACCEPTED);
    await ports.setStage(id.orderId, 'notify-customer', state);
    for (let n = 0; n < 2; n++) await hold(id, ANALYSIS_UNAVAILABLE);
    const before = await heldFor(id);

    expect(await settle(id, ACCEPTED)).toBe(true);

    expect([before, await heldFor(id)]).toEqual([['analysis_unavailable'], null]);
    expect(await ports.stages(id.orderId)).toEqual([`notify-customer ${state}`, 'notify-merchant pending']);
    expect(await ports.assessment(id.orderId)).toEqual(ACCEPTED);
  });

  it('lists held orders with their reasons, and no other orders', async () => {
    const { orderId } = await placed(review('rule_a', 'rule_b'));
    const accepted = await placed(ACCEPTED);

    const held = await ports.held.list({ subdomain: ports.store.subdomain, reasons: null }, 1_000, null);

    expect(held.find((order) => order.orderId === orderId)).toEqual({
      storeId: ports.storeId,
      subdomain: ports.store.subdomain,
      orderId,
      receiptNumber: expect.stringMatching(/^WEB-/) as string,
      totalAmount: 1000,
      currency: 'USD',
      isTest: false,
      createdAt: new Date('2026-11-20T12:00:00.000Z'),
      reasons: ['rule_a', 'rule_b'],
    });
    expect(held.map((order) => order.orderId)).not.toContain(accepted.orderId);
  });

  it('names the reasons for which orders are held', async () => {
    await placed(review('named_a', 'named_b'));
    await placed(review('named_b'));
    await placed({ ...review('named_c'), verdict: 'ACCEPT' });

    const named = (await ports.held.reasons()).filter((name) => name.startsWith('named_'));

    expect(named.sort()).toEqual(['named_a', 'named_b']);
  });

  it('lists orders that are held for the given reasons only', async () => {
    const [one, two, both] = [
      await placed(review('only_x')),
      await placed(review('only_y')),
      await placed(review('only_x', 'only_y')),
    ];
    await placed({ ...ACCEPTED, verdict: 'REVIEW' });

    expect(await list(['only_x'])).toEqual([one.orderId]);
    expect(await list(['only_x', 'only_y', 'other'])).toEqual([one.orderId, two.orderId, both.orderId]);
    expect(await list(['only_x'], 'another')).toEqual([]);
    expect(await list(['only_x'], null)).toEqual([one.orderId]);
  });

  it('does not settle an order of another store', async () => {
    const { orderId } = await placed(ANALYSIS_UNAVAILABLE);
    const foreign = { storeId: (await open()).storeId, orderId };

    expect(await settle(foreign, ACCEPTED)).toBe(false);

    expect(await customerStage({ orderId })).toBe('notify-customer held');
  });

  it('queues the confirmation of an order that a later analysis accepts', async () => {
    const id = await placed(ANALYSIS_UNAVAILABLE);
    expect(await heldFor(id)).toEqual(['analysis_unavailable']);

    expect(await settle(id, ACCEPTED)).toBe(true);

    expect(await customerStage(id)).toBe('notify-customer pending');
    expect(await ports.assessment(id.orderId)).toEqual(ACCEPTED);
    expect(await settle(id, review('too_late'))).toBe(false);
    expect(await ports.assessment(id.orderId)).toEqual(ACCEPTED);
  });

  it('holds an order for the reasons of a later analysis', async () => {
    const id = await placed(ANALYSIS_UNAVAILABLE);

    expect(await settle(id, review('found_later'))).toBe(true);

    expect(await customerStage(id)).toBe('notify-customer held');
    expect(await heldFor(id)).toEqual(['found_later']);
    expect(await list(['found_later'])).toEqual([id.orderId]);
    expect(await list(['analysis_unavailable'])).not.toContain(id.orderId);
    expect(await ports.assessment(id.orderId)).toEqual(review('found_later'));
  });

  it('does not retry a held stage, and returns the reasons of the hold', async () => {
    const id = await placed(review('amount_over_limit'));

    const retried = await ports.retries.retry(id);

    expect(retried).toEqual({ stages: [], running: [], heldReasons: ['amount_over_limit'], cancelled: false });
    expect(await customerStage(id)).toBe('notify-customer held');
  });
});
