import { ChangeOrderStatus } from '@app/application';
import { IllegalTransition, NotFound, type FraudVerdict } from '@app/domain';
import { ADAPTERS, anOrder, type PlacingPorts } from './placing.js';

const ACCEPT: FraudVerdict = 'ACCEPT';

describe.each(ADAPTERS)('OrderStates, StockRepository and OrderPipeline, moving an order, %s', (_name, open) => {
  let ports: PlacingPorts;
  let moveOrder: ChangeOrderStatus;
  beforeAll(async () => {
    ports = await open();
    moveOrder = new ChangeOrderStatus(ports.unitOfWork);
  });
  afterAll(() => ports.close());

  async function placed({ stock = [3, 2], quantity = 4, verdict = ACCEPT } = {}) {
    const productId = await ports.product({ stock });
    const order = anOrder(ports.storeId, { productId });
    await ports.unitOfWork.run(async ({ orders, pipeline, stock: bins }) => {
      await orders.insert(order, { verdict, score: 0, reasons: [] });
      await pipeline.enqueue(ports.storeId, order.id, { verdict, score: 0, reasons: [] });
      await bins.withdraw(ports.storeId, order.id, [{ productId, variantId: null, quantity, lines: [0] }]);
    });
    return { productId, id: { storeId: ports.storeId, orderId: order.id } };
  }

  it('sets payment and fulfillment together', async () => {
    const { id } = await placed();

    const moved = await moveOrder.changeStatus(id, { status: 'SUCCEEDED', fulfillmentStatus: 'CONFIRMED' });

    expect(moved).toEqual({ status: 'SUCCEEDED', fulfillmentStatus: 'CONFIRMED', restocked: 0 });
  });

  it('refuses an illegal move with the reason, and changes nothing', async () => {
    const { id } = await placed();

    const illegal = moveOrder.changeStatus(id, { status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED' });

    await expect(illegal).rejects.toThrow('fulfillment cannot go from PENDING to DELIVERED');
    expect(await moveOrder.changeStatus(id, {})).toMatchObject({ status: 'PENDING', fulfillmentStatus: 'PENDING' });
  });

  it('returns the stock of a cancelled order once', async () => {
    const { id, productId } = await placed();
    expect(await ports.onHand(productId)).toBe(1);

    const cancelled = await moveOrder.cancel(id);

    expect(cancelled).toEqual({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED', restocked: 4 });
    await expect(moveOrder.cancel(id)).rejects.toThrow(IllegalTransition);
    expect(await ports.onHand(productId)).toBe(5);
  });

  it('returns the stock once however many cancel at the same moment', async () => {
    const { id, productId } = await placed();

    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => moveOrder.cancel(id)));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await ports.onHand(productId)).toBe(5);
  });

  it('returns the stock when the fulfillment is set to CANCELLED', async () => {
    const { id, productId } = await placed();

    await moveOrder.changeStatus(id, { fulfillmentStatus: 'CANCELLED' });

    expect(await ports.onHand(productId)).toBe(5);
  });

  it('keeps the payment of a paid order that is cancelled, to be refunded', async () => {
    const { id } = await placed();
    await moveOrder.changeStatus(id, { status: 'SUCCEEDED' });

    expect(await moveOrder.cancel(id)).toMatchObject({ status: 'SUCCEEDED', fulfillmentStatus: 'CANCELLED' });
  });

  it('keeps the stock of an order that has shipped', async () => {
    const { id, productId } = await placed();
    for (const fulfillmentStatus of ['CONFIRMED', 'PROCESSING', 'SHIPPED'] as const) {
      await moveOrder.changeStatus(id, { fulfillmentStatus });
    }

    await expect(moveOrder.cancel(id)).rejects.toThrow('fulfillment cannot go from SHIPPED to CANCELLED');
    expect(await ports.onHand(productId)).toBe(1);
  });

  it('sends the confirmation of an order under review when it is confirmed', async () => {
    const { id } = await placed({ verdict: 'REVIEW' });
    expect(await ports.stages(id.orderId)).toContain('notify-customer held');

    await moveOrder.changeStatus(id, { fulfillmentStatus: 'CONFIRMED' });

    expect(await ports.stages(id.orderId)).toContain('notify-customer pending');
  });

  it('never sends the confirmation of an order under review that is cancelled', async () => {
    const { id } = await placed({ verdict: 'REVIEW' });

    await moveOrder.cancel(id);

    expect(await ports.stages(id.orderId)).toContain('notify-customer dead');
  });

  it('knows no order of another store', async () => {
    const { id } = await placed();

    const foreign = moveOrder.cancel({ storeId: 999_999, orderId: id.orderId });

    await expect(foreign).rejects.toThrow(NotFound);
  });
});
