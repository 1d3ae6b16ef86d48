import { CancelOrder, ChangeOrderStatus, type LockedOrder, type OrderKey } from '@app/application';
import {
  ANALYSIS_UNAVAILABLE,
  IllegalTransition,
  NotFound,
  OrderCancelled,
  type FraudAssessment,
  type FraudVerdict,
} from '@app/domain';
import { ACCEPTED, anOrder, placeOrder } from '../builders/placed-order.js';
import { placingAdapters, type PlacingPorts } from './placing.js';

const adapters = placingAdapters();

const ACCEPT: FraudVerdict = 'ACCEPT';

describe.each(adapters)('OrderLifecycle %s', (_name, open) => {
  let ports: PlacingPorts;
  let changeStatus: ChangeOrderStatus;
  let cancelOrder: CancelOrder;
  beforeAll(async () => {
    ports = await open();
    changeStatus = new ChangeOrderStatus(ports.lifecycle);
    cancelOrder = new CancelOrder(ports.lifecycle);
  });

  async function placed({ stock = [3, 2], quantity = 4, verdict = ACCEPT } = {}) {
    const productId = await ports.product({ stock });
    const order = anOrder(ports.storeId, { items: [{ productId, quantity }] });
    await placeOrder(ports.placement, order, { assessment: { verdict, score: 0, reasons: [] } });
    return { productId, id: { storeId: ports.storeId, orderId: order.id } };
  }

  it('sets payment and fulfillment together', async () => {
    const { id } = await placed();

    const changed = await changeStatus.execute(id, { status: 'SUCCEEDED', fulfillmentStatus: 'CONFIRMED' });

    expect(changed).toEqual({ status: 'SUCCEEDED', fulfillmentStatus: 'CONFIRMED', restocked: 0 });
  });

  it('accepts a change that adds a note, and the same change again', async () => {
    const { id } = await placed();
    const change = () => ports.lifecycle.change(id, (order) => ({ ...order, note: 'Paid late.' }));

    const unchanged = { status: 'PENDING', fulfillmentStatus: 'PENDING' };
    expect([await change(), await change()]).toEqual([unchanged, unchanged]);
  });

  it('rejects an illegal transition with the reason, and changes nothing', async () => {
    const { id } = await placed();

    const illegal = changeStatus.execute(id, { status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED' });

    await expect(illegal).rejects.toThrow('fulfillment cannot go from PENDING to DELIVERED');
    expect(await changeStatus.execute(id, {})).toMatchObject({ status: 'PENDING', fulfillmentStatus: 'PENDING' });
  });

  it('returns the stock of a cancelled order once, to the bins it came from', async () => {
    const { id, productId } = await placed();
    expect(await ports.onHand(productId)).toBe(1);

    const cancelled = await cancelOrder.execute(id);

    expect(cancelled).toEqual({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED', restocked: 4 });
    await expect(cancelOrder.execute(id)).rejects.toThrow(IllegalTransition);
    expect(await ports.bins(productId)).toEqual([3, 2]);
  });

  it('returns the stock once when eight cancellations arrive at the same moment', async () => {
    const { id, productId } = await placed();

    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => cancelOrder.execute(id)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await ports.onHand(productId)).toBe(5);
  });

  it('returns the stock when the fulfillment is set to CANCELLED', async () => {
    const { id, productId } = await placed();

    await changeStatus.execute(id, { fulfillmentStatus: 'CANCELLED' });

    expect(await ports.onHand(productId)).toBe(5);
  });

  it('leaves the payment of a cancelled paid order SUCCEEDED', async () => {
    const { id } = await placed();
    await changeStatus.execute(id, { status: 'SUCCEEDED' });

    expect(await cancelOrder.execute(id)).toMatchObject({ status: 'SUCCEEDED', fulfillmentStatus: 'CANCELLED' });
  });

  it('does not return the stock of a shipped order', async () => {
    const { id, productId } = await placed();
    for (const fulfillmentStatus of ['CONFIRMED', 'PROCESSING', 'SHIPPED'] as const) {
      await changeStatus.execute(id, { fulfillmentStatus });
    }

    await expect(cancelOrder.execute(id)).rejects.toThrow('fulfillment cannot go from SHIPPED to CANCELLED');
    expect(await ports.onHand(productId)).toBe(1);
  });

  it('queues the held confirmation of an order that is confirmed', async () => {
    const { id } = await placed({ verdict: 'REVIEW' });
    expect(await ports.stages(id.orderId)).toContain('notify-customer held');

    await changeStatus.execute(id, { fulfillmentStatus: 'CONFIRMED' });

    expect(await ports.stages(id.orderId)).toContain('notify-customer pending');
  });

  it('abandons the held confirmation of an order that is cancelled', async () => {
    const { id } = await placed({ verdict: 'REVIEW' });

    await cancelOrder.execute(id);

    expect(await ports.stages(id.orderId)).toContain('notify-customer dead');
  });

  it('passes the amount owed and its currency to a change, and writes nothing when the change throws', async () => {
    const { id, productId } = await placed({ quantity: 2 });
    const seen: LockedOrder[] = [];
    const refuse = (order: LockedOrder) => {
      seen.push(order);
      throw new Error('refused');
    };

    await expect(ports.lifecycle.change(id, refuse)).rejects.toThrow('refused');
    await expect(ports.lifecycle.cancel(id, refuse)).rejects.toThrow('refused');

    const order = { status: 'PENDING', fulfillmentStatus: 'PENDING', totalAmount: 2000, currency: 'USD' };
    expect(seen).toEqual([order, order]);
    expect(await ports.bins(productId)).toEqual([1, 2]);
  });

  const cancelled = { status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' } as const;

  it('rejects a cancellation through change, which would keep the stock, and changes nothing', async () => {
    const { id, productId } = await placed();

    await expect(ports.lifecycle.change(id, () => cancelled)).rejects.toThrow('Only OrderLifecycle.cancel');

    expect(await changeStatus.execute(id, {})).toMatchObject({ status: 'PENDING', fulfillmentStatus: 'PENDING' });
    expect(await ports.onHand(productId)).toBe(1);
  });

  it('rejects a cancellation that leaves the order unchanged, and returns no stock', async () => {
    const { id, productId } = await placed();

    await expect(ports.lifecycle.cancel(id, (order) => order)).rejects.toThrow('must cancel the order');

    expect(await changeStatus.execute(id, {})).toMatchObject({ status: 'PENDING', fulfillmentStatus: 'PENDING' });
    expect(await ports.onHand(productId)).toBe(1);
  });

  it('rejects a second cancellation, even when its change allows it', async () => {
    const { id, productId } = await placed();
    await cancelOrder.execute(id);

    await expect(ports.lifecycle.cancel(id, () => cancelled)).rejects.toThrow('must cancel the order');

    expect(await ports.onHand(productId)).toBe(5);
  });

  it('saves another change of an order that is already cancelled', async () => {
    const { id } = await placed();
    await changeStatus.execute(id, { status: 'SUCCEEDED' });
    await cancelOrder.execute(id);

    const refunded = await ports.lifecycle.change(id, (order) => ({ ...order, status: 'REFUNDED' }));

    expect(refunded).toEqual({ status: 'REFUNDED', fulfillmentStatus: 'CANCELLED' });
  });

  it('does not find an order of another store', async () => {
    const { id } = await placed();

    const foreign = cancelOrder.execute({ storeId: 999_999, orderId: id.orderId });

    await expect(foreign).rejects.toThrow(NotFound);
  });
});

function review(...rules: string[]): FraudAssessment {
  return { verdict: 'REVIEW', score: 50 * rules.length, reasons: rules.map((rule) => ({ rule, score: 50 })) };
}

describe.each(adapters)('HeldOrders and StageRetries %s', (_name, open) => {
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
  const release = (id: OrderKey) => ports.held.release(id);
  const settle = (id: OrderKey, assessment: FraudAssessment) => ports.held.settle(id, assessment);
  const heldFor = async (id: OrderKey) => (await ports.retries.retry(id)).heldFor;
  const customerStage = async ({ orderId }: { orderId: string }) => (await ports.stages(orderId))[0];
  const list = async (reasons: string[] | null, subdomain: string | null = ports.subdomain, limit = 1_000) =>
    (await ports.held.list({ subdomain, reasons }, limit, null)).map(({ orderId }) => orderId);

  it('lists held orders with their reasons, and no other orders', async () => {
    const { orderId } = await placed(review('rule_a', 'rule_b'));
    const accepted = await placed(ACCEPTED);

    const held = await ports.held.list({ subdomain: ports.subdomain, reasons: null }, 1_000, null);

    expect(held.find((order) => order.orderId === orderId)).toEqual({
      storeId: ports.storeId,
      subdomain: ports.subdomain,
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

  it('lists by order id, up to the limit, after the given order', async () => {
    const filter = { subdomain: null, reasons: ['paged'] };
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await placed(review('paged'))).orderId);

    const first = await ports.held.list(filter, 2, null);
    const rest = await ports.held.list(filter, 2, first[1] ?? null);

    expect(first.map(({ orderId }) => orderId)).toEqual(ids.slice(0, 2));
    expect(rest.map(({ orderId }) => orderId)).toEqual(ids.slice(2));
  });

  it('queues the confirmation of an order once when eight releases arrive at the same moment', async () => {
    const id = await placed(review('released'));

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => release(id)));

    expect(outcomes.filter((released) => released)).toHaveLength(1);
    expect(await release(id)).toBe(false);

    expect(await customerStage(id)).toBe('notify-customer pending');
    expect(await list(['released'])).toEqual([]);
    expect(await heldFor(id)).toBeNull();
  });

  it('rejects the release of a cancelled order', async () => {
    const id = await placed(review('cancelled'));
    await new CancelOrder(ports.lifecycle).execute(id);

    await expect(release(id)).rejects.toThrow(OrderCancelled);

    expect(await customerStage(id)).toBe('notify-customer dead');
    expect(await list(['cancelled'])).toEqual([]);
  });

  it('neither releases nor settles an order of another store', async () => {
    const { orderId } = await placed(ANALYSIS_UNAVAILABLE);
    const foreign = { storeId: 999_999, orderId };

    await expect(release(foreign)).rejects.toThrow(NotFound);
    expect(await settle(foreign, ACCEPTED)).toBe(false);

    expect(await customerStage({ orderId })).toBe('notify-customer held');
    await release({ storeId: ports.storeId, orderId });
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

  it('does not settle an order that is held for another reason', async () => {
    const id = await placed(review('amount_over_limit'));

    expect(await settle(id, ACCEPTED)).toBe(false);

    expect(await customerStage(id)).toBe('notify-customer held');
    expect((await ports.assessment(id.orderId))?.verdict).toBe('REVIEW');
  });

  it('does not retry a held stage, and returns the reasons of the hold', async () => {
    const id = await placed(review('amount_over_limit'));

    const retried = await ports.retries.retry(id);

    expect(retried).toEqual({ stages: [], running: [], heldFor: ['amount_over_limit'], cancelled: false });
    expect(await customerStage(id)).toBe('notify-customer held');
  });

  it('does not find the stages of an order of another store', async () => {
    const { orderId } = await placed(ACCEPTED);

    await expect(ports.retries.retry({ storeId: 999_999, orderId })).rejects.toThrow(NotFound);
  });

  it('does not retry the confirmation of a cancelled order', async () => {
    const id = await placed(review('amount_over_limit'));
    await new CancelOrder(ports.lifecycle).execute(id);

    const retried = await ports.retries.retry(id);

    expect(retried).toEqual({ stages: [], running: [], heldFor: null, cancelled: true });
    expect(await customerStage(id)).toBe('notify-customer dead');
  });
});
