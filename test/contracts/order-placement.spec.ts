import { Deadline, ReceiptNumberTaken } from '@app/application';
import { sumDemand } from '@app/domain';
import { seededRandom } from '../support/seeded-random.js';
import { ACCEPTED, ADAPTERS, anOrder, placeOrder, type PlacingPorts } from './placing.js';

describe.each(ADAPTERS)('OrderPlacement %s', (_name, open) => {
  let ports: PlacingPorts;
  beforeAll(async () => (ports = await open()));
  afterAll(() => ports.close());

  type Items = { productId: number; quantity: number }[];
  const orderOf = (...items: Items) => anOrder(ports.storeId, { items });
  const buy = (productId: number, quantity: number) => placeOrder(ports.placement, orderOf({ productId, quantity }));

  it('writes order, assessment, stages and stock together', async () => {
    const mug = await ports.product({ stock: [2, 3] });
    const order = orderOf({ productId: mug, quantity: 4 });

    expect(await placeOrder(ports.placement, order)).toEqual({ outcome: 'placed' });

    expect(await ports.hasOrder(order.id)).toBe(true);
    expect(await ports.assessment(order.id)).toEqual(ACCEPTED);
    expect(await ports.stages(order.id)).toEqual(['notify-customer pending', 'notify-merchant pending']);
    expect(await ports.onHand(mug)).toBe(1);
  });

  it('holds the customer confirmation of an order under review', async () => {
    const order = orderOf({ productId: await ports.product({ stock: [1] }), quantity: 1 });

    await placeOrder(ports.placement, order, { assessment: { ...ACCEPTED, verdict: 'REVIEW' } });

    expect(await ports.stages(order.id)).toEqual(['notify-customer held', 'notify-merchant pending']);
  });

  it('names every short line with what is available, and writes nothing', async () => {
    const mug = await ports.product({ stock: [5] });
    const tee = await ports.product({ stock: [1, 1] });
    const cap = await ports.product({ stock: [] });
    const order = orderOf(
      { productId: cap, quantity: 1 },
      { productId: mug, quantity: 1 },
      { productId: tee, quantity: 2 },
      { productId: cap, quantity: 2 },
      { productId: tee, quantity: 1 },
    );

    expect(await placeOrder(ports.placement, order)).toEqual({
      outcome: 'short',
      shortages: [
        { line: 0, requested: 3, available: 0 },
        { line: 2, requested: 3, available: 2 },
        { line: 3, requested: 3, available: 0 },
        { line: 4, requested: 3, available: 2 },
      ],
    });

    expect([await ports.hasOrder(order.id), await ports.assessment(order.id)]).toEqual([false, null]);
    expect([await ports.stages(order.id), await ports.onHand(mug), await ports.onHand(tee)]).toEqual([[], 5, 2]);
  });

  it.each([
    ['one bin that holds enough', [2, 5, 9], 9, [2, 5, 0]],
    ['part of the fullest bin', [2, 5, 0, 2], 3, [2, 2, 0, 2]],
    ['the fullest bin, then the next fullest', [1, 5, 3], 7, [1, 0, 1]],
    ['the bin with the lower id of two equally full ones', [2, 5, 0, 2], 6, [1, 0, 0, 2]],
    ['all bins', [2, 5, 0, 2], 9, [0, 0, 0, 0]],
  ])('takes the stock from %s', async (_case, stock, quantity, left) => {
    const productId = await ports.product({ stock });

    await buy(productId, quantity);

    expect(await ports.bins(productId)).toEqual(left);
  });

  it('takes exactly the demand from as few bins as possible in 40 random warehouses', async () => {
    const random = seededRandom(20261120);
    for (let round = 0; round < 40; round++) {
      const stock = Array.from({ length: 1 + random(6) }, () => random(10));
      const quantity = 1 + random(25);
      const productId = await ports.product({ stock });

      const { outcome } = await buy(productId, quantity);

      const taken = (await ports.bins(productId)).map((left, bin) => (stock[bin] ?? 0) - left);
      const isEnough = sum(stock) >= quantity;
      expect([outcome, sum(taken)]).toEqual(isEnough ? ['placed', quantity] : ['short', 0]);
      expect(taken.filter((units) => units > 0)).toHaveLength(isEnough ? fewestBins(stock, quantity) : 0);
    }
  });

  it('sells each unit once when ten orders want four units', async () => {
    const mug = await ports.product({ stock: [2, 2] });

    const outcomes = await Promise.all(Array.from({ length: 10 }, () => buy(mug, 1)));

    expect(outcomes.filter(({ outcome }) => outcome === 'placed')).toHaveLength(4);
    expect(await ports.onHand(mug)).toBe(0);
  });

  it('rejects a receipt number that the store used before, and writes nothing', async () => {
    const mug = await ports.product({ stock: [5] });
    const items = [{ productId: mug, quantity: 1 }];
    const place = (id?: string) =>
      placeOrder(
        ports.placement,
        anOrder(ports.storeId, { items, receiptNumber: 'WEB-261120-AAAAAA', ...(id && { id }) }),
      );
    await place();

    await expect(place()).rejects.toThrow(ReceiptNumberTaken);

    expect(await ports.onHand(mug)).toBe(4);
  });

  it('checks the stock of an order like the placement, by line, and writes nothing', async () => {
    const [mug, tee] = [await ports.product({ stock: [5] }), await ports.product({ stock: [1, 1] })];
    const shirt = await ports.product({ stock: [] });
    const order = orderOf(
      { productId: shirt, quantity: 1 },
      { productId: tee, quantity: 2 },
      { productId: mug, quantity: 5 },
      { productId: tee, quantity: 1 },
    );
    const demand = sumDemand(order.lines);

    const { shortages, isReferenceTaken } = await ports.placement.check(order, demand);

    expect(isReferenceTaken).toBe(false);
    expect({ outcome: 'short', shortages }).toEqual(await placeOrder(ports.placement, order));
    expect(shortages.map(({ line }) => line)).toEqual([0, 1, 3]);
    expect([await ports.onHand(mug), await ports.onHand(tee)]).toEqual([5, 2]);
    expect(await ports.placement.check(order, [])).toEqual({ shortages: [], isReferenceTaken: false });
  });

  it('reports a committed order as placed and takes no more stock', async () => {
    const mug = await ports.product({ stock: [5] });
    const order = orderOf({ productId: mug, quantity: 1 });

    const outcomes = [await placeOrder(ports.placement, order), await placeOrder(ports.placement, order)];

    expect(outcomes).toEqual([{ outcome: 'placed' }, { outcome: 'placed' }]);
    expect([await ports.onHand(mug), await ports.stages(order.id)]).toEqual([
      4,
      ['notify-customer pending', 'notify-merchant pending'],
    ]);
  });

  it('places two orders of the same products in opposite order at the same moment', async () => {
    const [mug, tee] = [await ports.product({ stock: [40] }), await ports.product({ stock: [40] })];
    const orders = Array.from({ length: 20 }, (_, n) =>
      orderOf(...[mug, tee].map((productId) => ({ productId, quantity: 1 })).sort(() => (n % 2 ? 1 : -1))),
    );

    const outcomes = await Promise.all(
      orders.map((order) => placeOrder(ports.placement, order, {}, Deadline.in(10_000))),
    );

    expect(outcomes.filter(({ outcome }) => outcome === 'placed')).toHaveLength(20);
    expect([await ports.onHand(mug), await ports.onHand(tee)]).toEqual([20, 20]);
  });
});

function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + quantity, 0);
}

/** By trying every subset. */
function fewestBins(stock: readonly number[], quantity: number): number {
  let fewest = Infinity;
  for (let subset = 0; subset < 2 ** stock.length; subset++) {
    const chosen = stock.filter((_, bin) => (subset >> bin) & 1);
    if (sum(chosen) >= quantity) fewest = Math.min(fewest, chosen.length);
  }
  return fewest;
}
