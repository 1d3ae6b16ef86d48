import { receiptOf, ReceiptNumberTaken, type Placement } from '../../../libs/application/src/ports/order-placement.js';
import { InMemoryShop } from '../../support/in-memory/in-memory-shop.js';
import { Deadline } from '../../../libs/application/src/deadline.js';
import { DeadlineExceeded, IdempotencyMismatch } from '../../../libs/application/src/errors.js';
import { CreateOrder, type OrderRequest } from '../../../libs/application/src/orders/create-order.js';

const NOTHING_AVAILABLE = { lines: [], unavailable: [{ line: 0, what: 'product', id: 1 } as const] };

function aShop() {
  const shop = new InMemoryShop();
  const createOrder = new CreateOrder(shop.pricing, shop.fraud, shop.placement, shop.clock);
  const place = (
    items: [productId: number, quantity: number][],
    more: Partial<OrderRequest> = {},
    key: string | null = null,
    patienceMs = 60_000,
  ) =>
    createOrder.execute({
      store: { id: 1, currency: 'USD' },
      mode: 'live',
      request: {
        items: items.map(([productId, quantity]) => ({ productId, variantId: null, quantity })),
        customer: { name: 'Ada', email: '', phone: '' },
        address: { address: '', city: '', zip: '', region: '', country: '' },
        paymentMethod: 'COD',
        notes: '',
        externalReference: '',
        ...more,
      },
      idempotencyKey: key,
      deadline: Deadline.in(patienceMs),
    });
  return { shop, place };
}

describe('CreateOrder', () => {
  it('prices each line from the catalog and returns the total in minor units', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ price: 1099, stock: [9] });
    const tee = shop.addProduct({ price: 2000, stock: [9] });

    await place([
      [mug, 3],
      [tee, 1],
    ]);

    expect(shop.orders[0]?.order.total.minor).toBe(3 * 1099 + 2000);
  });

  it('withdraws the stock, writes the order and queues its notifications', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [2, 3] });

    await place([[mug, 4]]);

    expect(shop.onHand(mug)).toBe(1);
    expect(shop.queued.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
      'notify-customer pending',
      'notify-merchant pending',
    ]);
  });

  it('writes nothing when a later line is out of stock', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    const tee = shop.addProduct({ stock: [1] });

    await expect(
      place([
        [mug, 1],
        [tee, 2],
      ]),
    ).rejects.toMatchObject({ shortages: [{ line: 1, requested: 2, available: 1 }] });

    expect([shop.onHand(mug), shop.orders, shop.queued]).toEqual([5, [], []]);
  });

  it('dates the receipt number by the clock', async () => {
    const { shop, place } = aShop();
    shop.now = new Date('2026-01-02T23:59:59Z');

    await place([[shop.addProduct({ stock: [1] }), 1]]);

    expect(shop.orders[0]?.order.receiptNumber).toMatch(/^WEB-260102-/);
  });

  it('writes only the assessment when the fraud rules reject the order', async () => {
    const { shop, place } = aShop();
    shop.fraudSettings = { ...shop.fraudSettings, blockedEmails: ['eve@example.com'] };
    const mug = shop.addProduct({ stock: [5] });

    const refused = place([[mug, 1]], { customer: { name: 'Eve', email: 'EVE@example.com', phone: '' } });

    await expect(refused).rejects.toThrow('The order cannot be accepted');
    expect([shop.onHand(mug), shop.orders, shop.rejections.length]).toEqual([5, [], 1]);
  });

  it('stops waiting at the deadline while it stores the assessment of a rejected order', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [9] });
    shop.fraudSettings = { ...shop.fraudSettings, blockedEmails: ['mallory@example.com'] };
    shop.fraud.recordRejection = () => new Promise(() => undefined);

    const refused = place([[mug, 1]], { customer: { name: 'M', email: 'mallory@example.com', phone: '' } }, null, 50);

    await expect(refused).rejects.toThrow(DeadlineExceeded);
    expect(shop.orders).toEqual([]);
  }, 2_000);

  it('holds the confirmation of an order under review', async () => {
    const { shop, place } = aShop();
    shop.fraudSettings = { ...shop.fraudSettings, reviewAmount: 1000 };

    await place([[shop.addProduct({ price: 1000, stock: [1] }), 1]]);

    expect(shop.queued.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
      'notify-customer held',
      'notify-merchant pending',
    ]);
  });

  it('replays the answer of the first request with an idempotency key', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });

    const first = await place([[mug, 1]], {}, 'key');
    const second = await place([[mug, 1]], {}, 'key');

    const { order } = shop.orders[0] ?? {};
    expect(first).toEqual({ receipt: order && receiptOf(order), isReplay: false });
    expect(second).toEqual({ ...first, isReplay: true });
    expect(shop.onHand(mug)).toBe(4);
  });

  it('replays before pricing, because the catalog may have changed', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    await place([[mug, 1]], {}, 'key');
    shop.pricing.price = () => Promise.resolve(NOTHING_AVAILABLE);

    expect((await place([[mug, 1]], {}, 'key')).isReplay).toBe(true);
  });

  it('replays the order of a concurrent request with the same key when this request would be rejected', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    const price = shop.pricing.price.bind(shop.pricing);
    shop.pricing.price = async () => {
      shop.pricing.price = price;
      await place([[mug, 1]], {}, 'key');
      return NOTHING_AVAILABLE;
    };

    const { receipt, isReplay } = await place([[mug, 1]], {}, 'key');

    expect([receipt.orderId, isReplay]).toEqual([shop.orders[0]?.order.id, true]);
  });

  it('rejects a different request with a used idempotency key', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    await place([[mug, 1]], {}, 'key');

    await expect(place([[mug, 2]], {}, 'key')).rejects.toThrow(IdempotencyMismatch);
  });

  it('draws another receipt number when the first is in use', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    const refused = refusePlacements(shop, 1);

    await place([[mug, 1]]);

    expect(shop.orders.map(({ order }) => order.receiptNumber)).not.toContain(refused[0]?.order.receiptNumber);
    expect([shop.orders.length, refused.length, shop.onHand(mug)]).toEqual([1, 1, 4]);
  });

  it('gives up after three receipt numbers that are in use', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    const refused = refusePlacements(shop, Infinity);

    await expect(place([[mug, 1]])).rejects.toThrow(ReceiptNumberTaken);

    expect(new Set(refused.map(({ order }) => order.receiptNumber)).size).toBe(3);
  });
});

/** Makes the first placements fail with a receipt number in use. Returns these placements. */
function refusePlacements(shop: InMemoryShop, count: number): Placement[] {
  const place = shop.placement.place.bind(shop.placement);
  const refused: Placement[] = [];
  shop.placement.place = (placement, deadline) => {
    if (refused.length === count) return place(placement, deadline);
    refused.push(placement);
    return Promise.reject(new ReceiptNumberTaken());
  };
  return refused;
}
