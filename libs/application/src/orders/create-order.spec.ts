import { IdempotencyMismatch } from '../ports/idempotency-records.js';
import { ReceiptNumberTaken, type OrderRepository } from '../ports/order.repository.js';
import { CommitOutcomeUnknown } from '../ports/unit-of-work.js';
import { InMemoryShop } from '../../../../test/support/in-memory/in-memory-shop.js';
import { Deadline } from '../deadline.js';
import { DeadlineExceeded } from '../errors/deadline-exceeded.js';
import { CreateOrder, type OrderRequest } from './create-order.js';

function aShop() {
  const shop = new InMemoryShop();
  const ordersById = {
    findById: (_: number, id: string) => Promise.resolve(shop.orders.find((o) => o.order.id === id) ?? null),
  };
  const createOrder = new CreateOrder(
    shop.pricing,
    shop.fraud,
    shop.unitOfWork,
    ordersById as unknown as OrderRepository,
    shop.idempotency,
    shop.clock,
  );
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
        address: { address: '', city: '', zip: '' },
        paymentMethod: 'COD',
        notes: '',
        ...more,
      },
      idempotencyKey: key,
      deadline: Deadline.in(patienceMs),
      render: (order) => JSON.stringify({ id: order.id, receipt: order.receiptNumber, total: order.total.minor }),
    });
  return { shop, place };
}

describe('CreateOrder', () => {
  it('prices each line from the catalog and totals them in minor units', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ price: 1099, stock: [9] });
    const tee = shop.addProduct({ price: 2000, stock: [9] });

    await place([
      [mug, 3],
      [tee, 1],
    ]);

    expect(shop.orders[0]?.order.total.minor).toBe(3 * 1099 + 2000);
  });

  it('takes the stock, keeps the order and queues its notifications', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [2, 3] });

    await place([[mug, 4]]);

    expect(shop.onHand(mug)).toBe(1);
    expect(shop.queued.map(({ stage, state }) => `${stage} ${state}`)).toEqual([
      'notify-customer pending',
      'notify-merchant pending',
    ]);
  });

  it('leaves nothing behind when a later line is out of stock', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    const tee = shop.addProduct({ stock: [1] });

    await expect(
      place([
        [mug, 1],
        [tee, 2],
      ]),
    ).rejects.toThrow('items[1]: requested 2, available 1');

    expect([shop.onHand(mug), shop.orders, shop.queued]).toEqual([5, [], []]);
  });

  it('dates the receipt number by the clock', async () => {
    const { shop, place } = aShop();
    shop.now = new Date('2026-01-02T23:59:59Z');

    await place([[shop.addProduct({ stock: [1] }), 1]]);

    expect(shop.orders[0]?.order.receiptNumber).toMatch(/^WEB-260102-/);
  });

  it('writes nothing but the assessment when the fraud rules refuse the order', async () => {
    const { shop, place } = aShop();
    shop.fraudSettings = { ...shop.fraudSettings, blockedEmails: ['eve@example.com'] };
    const mug = shop.addProduct({ stock: [5] });

    const refused = place([[mug, 1]], { customer: { name: 'Eve', email: 'EVE@example.com', phone: '' } });

    await expect(refused).rejects.toThrow('The order cannot be accepted');
    expect([shop.onHand(mug), shop.orders, shop.rejections.length]).toEqual([5, [], 1]);
  });

  it('waits no longer than its deadline for the assessment of a refused order to be kept', async () => {
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

    expect([String(second.response), second.replayed]).toEqual([String(first.response), true]);
    expect(shop.onHand(mug)).toBe(4);
  });

  it('refuses a different request with a used idempotency key', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    await place([[mug, 1]], {}, 'key');

    await expect(place([[mug, 2]], {}, 'key')).rejects.toThrow(IdempotencyMismatch);
  });

  it('draws another receipt number when the first is taken', async () => {
    const { shop, place } = aShop();
    const mug = shop.addProduct({ stock: [5] });
    const run = shop.unitOfWork.run.bind(shop.unitOfWork);
    const refused: string[] = [];
    shop.unitOfWork.run = (work) =>
      run(async (transaction) => {
        const result = await work(transaction);
        if (refused.length > 0) return result;
        refused.push((result as { response: string }).response);
        throw new ReceiptNumberTaken();
      });

    const { response } = await place([[mug, 1]]);

    const receiptOf = (text: unknown) => (JSON.parse(String(text)) as { receipt: string }).receipt;
    expect(shop.orders.map(({ order }) => order.receiptNumber)).toEqual([receiptOf(response)]);
    expect(receiptOf(response)).not.toBe(receiptOf(refused[0]));
  });

  describe('when the connection is lost during the commit', () => {
    it('answers with the order when the commit had arrived', async () => {
      const { shop, place } = aShop();
      const mug = shop.addProduct({ stock: [5] });
      const run = shop.unitOfWork.run.bind(shop.unitOfWork);
      shop.unitOfWork.run = async (work) => {
        await run(work);
        throw new CommitOutcomeUnknown(new Error('connection lost'));
      };

      const { response } = await place([[mug, 1]]);

      expect((JSON.parse(String(response)) as { id: string }).id).toBe(shop.orders[0]?.order.id);
      expect(shop.onHand(mug)).toBe(4);
    });

    it('answers with the order when the commit arrives only after it was looked for', async () => {
      const { shop, place } = aShop();
      const mug = shop.addProduct({ stock: [5] });
      const run = shop.unitOfWork.run.bind(shop.unitOfWork);
      let attempts = 0;
      shop.unitOfWork.run = async (work) => {
        if (++attempts === 1) throw new CommitOutcomeUnknown(new Error('connection lost'));
        if (attempts === 2) await run(work); // what was lost arrives now
        return run(work);
      };

      const { response } = await place([[mug, 1]]);

      expect((JSON.parse(String(response)) as { id: string }).id).toBe(shop.orders[0]?.order.id);
      expect([shop.orders.length, shop.onHand(mug)]).toEqual([1, 4]);
    });

    it('places the order again when it had not', async () => {
      const { shop, place } = aShop();
      const mug = shop.addProduct({ stock: [5] });
      const run = shop.unitOfWork.run.bind(shop.unitOfWork);
      let lost = true;
      shop.unitOfWork.run = (work) => {
        if (!lost) return run(work);
        lost = false;
        return Promise.reject(new CommitOutcomeUnknown(new Error('connection lost')));
      };

      await place([[mug, 1]]);

      expect([shop.orders.length, shop.onHand(mug)]).toEqual([1, 4]);
    });
  });
});
