import { CancelOrder, ChangeOrderStatus, type LockedOrder } from '@app/application';
import { IllegalTransition, NotFound, type FraudVerdict } from '@app/domain';
import { ADAPTERS, anOrder, placeOrder, type PlacingPorts } from './placing.js';

const ACCEPT: FraudVerdict = 'ACCEPT';

describe.each(ADAPTERS)('OrderLifecycle %s', (_name, open) => {
  let ports: PlacingPorts;
  let changeStatus: ChangeOrderStatus;
  let cancelOrder: CancelOrder;
  beforeAll(async () => {
    ports = await open();
    changeStatus = new ChangeOrderStatus(ports.lifecycle);
    cancelOrder = new CancelOrder(ports.lifecycle);
  });
  afterAll(() => ports.close());

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
