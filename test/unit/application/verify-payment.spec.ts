import { NotFound, PaidAmountMismatch } from '@app/domain';
import { anOrder, placeOrder } from '../../builders/placed-order.js';
import { InMemoryShop } from '../../support/in-memory/in-memory-shop.js';
import { CancelOrder } from '../../../libs/application/src/orders/cancel-order.js';
import { ChangeOrderStatus } from '../../../libs/application/src/orders/change-order-status.js';
import { VerifyPayment } from '../../../libs/application/src/orders/verify-payment.js';

/** An order of three units at 10.00 USD. */
async function anUnpaidOrder() {
  const shop = new InMemoryShop();
  const order = anOrder(1, { items: [{ productId: shop.addProduct({ stock: [9] }), quantity: 3 }] });
  await placeOrder(shop.placement, order);
  const key = { storeId: 1, orderId: order.id };
  const verify = (amount: number, currency = 'USD', storeId = 1) =>
    new VerifyPayment(shop.lifecycle).execute({ order: { ...key, storeId }, amount, currency });
  const state = () => shop.orders[0]?.state;
  const notes = () => shop.orders[0]?.notes ?? '';
  const changeStatus = new ChangeOrderStatus(shop.lifecycle);
  return { key, verify, state, notes, changeStatus, cancel: new CancelOrder(shop.lifecycle) };
}

describe('VerifyPayment', () => {
  it('sets the payment status to SUCCEEDED when the paid amount is the total of the order', async () => {
    const { verify, state } = await anUnpaidOrder();

    expect(await verify(3000)).toEqual({ status: 'SUCCEEDED', fulfillmentStatus: 'PENDING' });
    expect(state()).toEqual({ status: 'SUCCEEDED', fulfillmentStatus: 'PENDING' });
  });

  it.each([
    ['a cent too little', 2999, 'USD', 'The paid amount 2999 USD is not the amount owed 3000 USD (in minor units)'],
    ['a cent too much', 3001, 'USD', 'The paid amount 3001 USD is not the amount owed 3000 USD (in minor units)'],
    ['another currency', 3000, 'EUR', 'The paid amount 3000 EUR is not the amount owed 3000 USD (in minor units)'],
  ])('rejects %s with both amounts and changes nothing', async (_case, amount, currency, message) => {
    const { verify, state } = await anUnpaidOrder();

    const refused = await verify(amount, currency).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(PaidAmountMismatch);
    expect(refused).toMatchObject({ message, kind: 'rejected', paid: { minor: amount, currency } });
    expect(state()?.status).toBe('PENDING');
  });

  it('reports SUCCEEDED again when the gateway repeats its callback', async () => {
    const { verify } = await anUnpaidOrder();
    await verify(3000);

    expect(await verify(3000)).toMatchObject({ status: 'SUCCEEDED' });
    await expect(verify(2999)).rejects.toThrow(PaidAmountMismatch);
  });

  it('records the payment of an order whose fulfillment is cancelled, and returns both statuses', async () => {
    const { key, verify, changeStatus } = await anUnpaidOrder();
    await changeStatus.execute(key, { fulfillmentStatus: 'CANCELLED' });

    expect(await verify(3000)).toEqual({ status: 'SUCCEEDED', fulfillmentStatus: 'CANCELLED' });
  });

  it('records the payment of an order that was cancelled unpaid in its notes, once', async () => {
    const { key, verify, state, notes, cancel } = await anUnpaidOrder();
    await cancel.execute(key);
    const before = notes();

    const answers = [await verify(3000), await verify(3000)];

    const cancelled = { status: 'CANCELLED', fulfillmentStatus: 'CANCELLED' };
    expect([...answers, state()]).toEqual([cancelled, cancelled, cancelled]);
    expect(notes()).toBe(`${before}Paid after the cancellation: 3000 USD (in minor units), to be refunded.`);
    await expect(verify(2999)).rejects.toThrow(PaidAmountMismatch);
  });

  it('does not find an order of another store', async () => {
    const { verify } = await anUnpaidOrder();

    await expect(verify(3000, 'USD', 2)).rejects.toThrow(NotFound);
  });
});
