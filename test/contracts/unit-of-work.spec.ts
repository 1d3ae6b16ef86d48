import { OrderExists, ReceiptNumberTaken } from '@app/application';
import type { FraudAssessment } from '@app/domain';
import { ADAPTERS, anOrder, type PlacingPorts } from './placing.js';

const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };

describe.each(ADAPTERS)('UnitOfWork with NewOrders, StockRepository and OrderPipeline, %s', (_name, open) => {
  let ports: PlacingPorts;
  beforeAll(async () => (ports = await open()));
  afterAll(() => ports.close());

  const demand = (productId: number, quantity: number, line = 0) => ({
    productId,
    variantId: null,
    quantity,
    lines: [line],
  });

  it('keeps order, stages and stock together', async () => {
    const mug = await ports.product({ stock: [2, 3] });
    const order = anOrder(ports.storeId, { productId: mug });

    await ports.unitOfWork.run(async ({ orders, pipeline, stock }) => {
      await orders.insert(order, ACCEPTED);
      await pipeline.enqueue(ports.storeId, order.id, ACCEPTED);
      await stock.withdraw(ports.storeId, order.id, [demand(mug, 4)]);
    });

    expect(await ports.hasOrder(order.id)).toBe(true);
    expect(await ports.stages(order.id)).toEqual(['notify-customer pending', 'notify-merchant pending']);
    expect(await ports.onHand(mug)).toBe(1);
  });

  it('holds the confirmation of an order under review', async () => {
    const order = anOrder(ports.storeId);

    await ports.unitOfWork.run(async ({ orders, pipeline }) => {
      await orders.insert(order, ACCEPTED);
      await pipeline.enqueue(ports.storeId, order.id, { ...ACCEPTED, verdict: 'REVIEW' });
    });

    expect(await ports.stages(order.id)).toEqual(['notify-customer held', 'notify-merchant pending']);
  });

  it('keeps nothing when the work fails', async () => {
    const mug = await ports.product({ stock: [5] });
    const order = anOrder(ports.storeId, { productId: mug });

    const run = ports.unitOfWork.run(async ({ orders, pipeline, stock }) => {
      await orders.insert(order, ACCEPTED);
      await pipeline.enqueue(ports.storeId, order.id, ACCEPTED);
      await stock.withdraw(ports.storeId, order.id, [demand(mug, 5)]);
      throw new Error('power cut');
    });

    await expect(run).rejects.toThrow('power cut');
    expect([await ports.hasOrder(order.id), await ports.stages(order.id), await ports.onHand(mug)]).toEqual([
      false,
      [],
      5,
    ]);
  });

  it('names every line that is short, and takes nothing of the others', async () => {
    const mug = await ports.product({ stock: [5] });
    const tee = await ports.product({ stock: [1, 1] });
    const cap = await ports.product({ stock: [] });
    const order = anOrder(ports.storeId);

    const run = ports.unitOfWork.run(async ({ orders, stock }) => {
      await orders.insert(order, ACCEPTED);
      await stock.withdraw(ports.storeId, order.id, [demand(mug, 1, 0), demand(tee, 3, 1), demand(cap, 1, 2)]);
    });

    await expect(run).rejects.toThrow('items[1]: requested 3, available 2; items[2]: requested 1, available 0');
    expect([await ports.onHand(mug), await ports.onHand(tee)]).toEqual([5, 2]);
  });

  it('never gives the same unit to two transactions', async () => {
    const mug = await ports.product({ stock: [2, 2] });
    const buy = () =>
      ports.unitOfWork.run(async ({ orders, stock }) => {
        const order = anOrder(ports.storeId, { productId: mug });
        await orders.insert(order, ACCEPTED);
        await stock.withdraw(ports.storeId, order.id, [demand(mug, 1)]);
      });

    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, buy));

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(await ports.onHand(mug)).toBe(0);
  });

  it('refuses a receipt number that the store used before', async () => {
    const insert = () =>
      ports.unitOfWork.run(({ orders }) =>
        orders.insert(anOrder(ports.storeId, { receiptNumber: 'WEB-261120-AAAAAA' }), ACCEPTED),
      );
    await insert();

    await expect(insert()).rejects.toThrow(ReceiptNumberTaken);
  });

  it('says of an order that was committed before that it exists', async () => {
    const order = anOrder(ports.storeId);
    const insert = () => ports.unitOfWork.run(({ orders }) => orders.insert(order, ACCEPTED));
    await insert();

    await expect(insert()).rejects.toThrow(OrderExists);
  });
});
