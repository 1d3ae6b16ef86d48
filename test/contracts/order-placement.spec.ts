import {
  Deadline,
  IdempotencyInFlight,
  IdempotencyMismatch,
  receiptOf,
  ReceiptNumberTaken,
  type IdempotentRequest,
} from '@app/application';
import { ACCEPTED, anOrder, aScope, placeOrder } from '../builders/placed-order.js';
import { seededRandom } from '../support/seeded-random.js';
import { placingPorts, type PlacingPorts } from './placing.js';

const open = placingPorts();

describe('CatalogPricing', () => {
  let ports: PlacingPorts;
  beforeAll(async () => (ports = await open()));

  const price = (...lines: [productId: number, variantId: number | null][]) =>
    ports.pricing.price({
      storeId: ports.storeId,
      currency: 'USD',
      lines: lines.map(([productId, variantId]) => ({ productId, variantId, quantity: 2 })),
      customer: { id: null, email: '' },
      channel: 'WEBSITE',
      at: new Date(),
    });

  it('prices lines in request order, including a repeated product', async () => {
    const mug = await ports.product({ name: 'Mug', price: 1099 });
    const tee = await ports.product({ name: 'Tee', price: 2000 });

    const { lines } = await price([tee, null], [mug, null], [tee, null]);

    expect(lines.map(({ name, unitPrice, quantity }) => [name, unitPrice.minor, quantity])).toEqual([
      ['Tee', 2000, 2],
      ['Mug', 1099, 2],
      ['Tee', 2000, 2],
    ]);
  });

  it('prices the available lines and names the others, by line', async () => {
    const [mug, shoe] = [await ports.product(), await ports.product()];
    const unknown = 1_999_999_999;

    const { lines, unavailable } = await price([unknown, null], [mug, null], [shoe, unknown], [unknown, 1]);

    expect(lines.map(({ productId }) => productId)).toEqual([mug]);
    expect(unavailable).toEqual([
      { line: 0, what: 'product', id: unknown },
      { line: 2, what: 'variant', id: unknown },
      { line: 3, what: 'product', id: unknown },
    ]);
  });
});

const HASH = Buffer.alloc(32, 'a');
const OTHER_HASH = Buffer.alloc(32, 'b');

describe('OrderPlacement', () => {
  let ports: PlacingPorts;
  beforeAll(async () => (ports = await open()));

  it('takes units from a thousand bins, and refuses an order that needs more', async () => {
    const inBins = (bins: number) => ports.product({ stock: Array.from({ length: bins }, () => 1) });
    const items = await Promise.all(
      Array.from({ length: 4 }, async () => ({ productId: await inBins(250), quantity: 250 })),
    );
    const further = { productId: await inBins(2), quantity: 2 };

    await expect(
      placeOrder(ports.placement, anOrder(ports.storeId, { items: [...items, further] })),
    ).rejects.toMatchObject({ code: 'too_many_bins', message: expect.stringContaining('1000 bins') as string });
    expect(await ports.onHand(further.productId)).toBe(2);
    const { outcome } = await placeOrder(ports.placement, anOrder(ports.storeId, { items }));
    expect([outcome, await ports.onHand(items[0]?.productId ?? 0)]).toEqual(['placed', 0]);
  });

  type Items = { productId: number; quantity: number }[];
  const orderOf = (...items: Items) => anOrder(ports.storeId, { items });
  const buy = (productId: number, quantity: number) => placeOrder(ports.placement, orderOf({ productId, quantity }));

  it('writes order, assessment, stages and stock together', async () => {
    const mug = await ports.product({ stock: [2, 3] });
    const order = orderOf({ productId: mug, quantity: 4 });

    expect(await placeOrder(ports.placement, order)).toMatchObject({ outcome: 'placed' });

    expect(await ports.hasOrder(order.id)).toBe(true);
    expect(await ports.assessment(order.id)).toEqual(ACCEPTED);
    expect(await ports.stages(order.id)).toEqual(['notify-customer pending', 'notify-merchant pending']);
    expect(await ports.onHand(mug)).toBe(1);
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

  it('reports a committed order as placed and takes no more stock', async () => {
    const mug = await ports.product({ stock: [5] });
    const order = orderOf({ productId: mug, quantity: 1 });

    const outcomes = [await placeOrder(ports.placement, order), await placeOrder(ports.placement, order)];

    const placed = { outcome: 'placed', receipt: receiptOf(order) };
    expect(outcomes).toEqual([placed, placed]);
    expect([await ports.onHand(mug), await ports.stages(order.id)]).toEqual([
      4,
      ['notify-customer pending', 'notify-merchant pending'],
    ]);
  });

  describe('with an Idempotency-Key', () => {
    let mug: number;
    beforeAll(async () => {
      mug = await ports.product({ stock: [1_000] });
    });

    const requestOf = (scope = aScope(ports.storeId), requestHash = HASH): IdempotentRequest => ({
      scope,
      requestHash,
    });
    const place = (idempotency: IdempotentRequest, quantity = 1, productId = mug, deadline = Deadline.in(5_000)) => {
      const order = anOrder(ports.storeId, { items: [{ productId, quantity }] });
      const placed = placeOrder(ports.placement, order, { idempotency }, deadline);
      return { order, placed };
    };
    const winner = (idempotency: IdempotentRequest, look: 'once' | 'wait', deadline = Deadline.in(5_000)) => {
      const claim = { storeId: ports.storeId, isTest: false, externalReference: '', idempotency };
      return ports.placement.winnerOf(claim, look, deadline);
    };

    it('stores the order and its receipt for replays', async () => {
      const request = requestOf();
      const { order, placed } = place(request);
      expect(await placed).toMatchObject({ outcome: 'placed' });

      const replayed = { outcome: 'replayed', receipt: receiptOf(order) };
      expect([await winner(request, 'once'), await winner(request, 'wait')]).toEqual([replayed, replayed]);
    });

    it('replays the first order when the key is placed again, and writes nothing', async () => {
      const request = requestOf();
      const first = place(request);
      await first.placed;
      const before = await ports.onHand(mug);

      const second = place(request, 3);

      expect(await second.placed).toEqual({ outcome: 'replayed', receipt: receiptOf(first.order) });
      expect([await ports.hasOrder(second.order.id), await ports.onHand(mug)]).toEqual([false, before]);
    });

    it('rejects a key that was used with another request, and writes nothing', async () => {
      const scope = aScope(ports.storeId);
      await place(requestOf(scope)).placed;
      const other = requestOf(scope, OTHER_HASH);

      await expect(winner(other, 'once')).rejects.toThrow(IdempotencyMismatch);
      await expect(winner(other, 'wait')).rejects.toThrow(IdempotencyMismatch);
      const { order, placed } = place(other);
      await expect(placed).rejects.toThrow(IdempotencyMismatch);

      expect(await ports.hasOrder(order.id)).toBe(false);
    });

    it('separates live and test keys', async () => {
      const scope = aScope(ports.storeId);
      await place(requestOf(scope)).placed;

      expect(await place(requestOf({ ...scope, mode: 'test' })).placed).toMatchObject({ outcome: 'placed' });
    });

    it('does not use up the key when stock is short', async () => {
      const request = requestOf();
      const { order, placed } = place(request, 1, await ports.product({ stock: [] }));
      expect((await placed).outcome).toBe('short');

      expect(await ports.hasOrder(order.id)).toBe(false);
      expect(await winner(request, 'wait')).toBeNull();
      expect(await place(request).placed).toMatchObject({ outcome: 'placed' });
    });

    it('places one of eight requests with the same key at the same moment, and replays it to the others', async () => {
      const request = requestOf();
      const before = await ports.onHand(mug);

      const placements = Array.from({ length: 8 }, () => place(request));
      const outcomes = await Promise.all(placements.map(({ placed }) => placed));

      const first = placements[outcomes.findIndex(({ outcome }) => outcome === 'placed')]?.order;
      const replays = outcomes.flatMap((outcome) => (outcome.outcome === 'replayed' ? [outcome.receipt] : []));
      expect(replays).toHaveLength(7);
      expect(new Set(replays.map(({ orderId }) => orderId))).toEqual(new Set([first?.id]));
      expect(await ports.onHand(mug)).toBe(before - 1);
    });

    it('reports a key as in flight while its first request is still running, and writes nothing', async () => {
      const request = requestOf();
      const release = await ports.holdKey(request.scope);

      expect(await winner(request, 'once')).toBeNull();
      const { order, placed } = place(request, 1, mug, Deadline.in(200));
      await expect(placed).rejects.toThrow(IdempotencyInFlight);
      await expect(winner(request, 'wait', Deadline.in(200))).rejects.toThrow(IdempotencyInFlight);
      await release();

      expect(await ports.hasOrder(order.id)).toBe(false);
      expect(await place(request).placed).toMatchObject({ outcome: 'placed' });
    });
  });

  describe('with an external reference', () => {
    let mug: number;
    let references = 0;
    beforeAll(async () => {
      mug = await ports.product({ stock: [1_000] });
    });

    const orderOf = (externalReference: string, more: Parameters<typeof anOrder>[1] = {}) =>
      anOrder(ports.storeId, { items: [{ productId: mug, quantity: 1 }], externalReference, ...more });
    const aReference = () => `PO ${++references}/é`;
    const find = (externalReference: string, isTest = false, storeId = ports.storeId) =>
      ports.placement.winnerOf({ storeId, isTest, externalReference, idempotency: null }, 'wait', Deadline.in(5_000));

    it('finds the placed order by its exact reference, in its store and mode', async () => {
      const reference = aReference();
      const order = orderOf(reference);
      await placeOrder(ports.placement, order);

      expect(await find(reference)).toEqual({ outcome: 'taken', orderId: order.id });
      expect(await find(reference, true)).toBeNull();
      expect(await find(reference.toLowerCase())).toBeNull();
      expect((await ports.placement.check(orderOf(reference), [])).isReferenceTaken).toBe(true);
      expect((await ports.placement.check(orderOf(reference, { isTest: true }), [])).isReferenceTaken).toBe(false);
      expect(await find(reference, false, ports.storeId + 1)).toBeNull();
    });

    it('refuses the reference with another Idempotency-Key, and replays the first order for its own', async () => {
      const reference = aReference();
      const requestOf = () => ({
        scope: aScope(ports.storeId),
        requestHash: Buffer.alloc(32, 'a'),
      });
      const [own, other] = [requestOf(), requestOf()];
      const first = orderOf(reference);
      await placeOrder(ports.placement, first, { idempotency: own });

      const replayed = await placeOrder(ports.placement, orderOf(reference), { idempotency: own });
      const refused = await placeOrder(ports.placement, orderOf(reference), { idempotency: other });

      expect(replayed).toMatchObject({ outcome: 'replayed', receipt: { orderId: first.id } });
      expect(refused).toEqual({ outcome: 'taken', orderId: first.id });
      expect((await placeOrder(ports.placement, orderOf(aReference()), { idempotency: other })).outcome).toBe('placed');
    });

    it('places a live and a test order with the same reference, and any number without one', async () => {
      const reference = aReference();
      const orders = [orderOf(reference), orderOf(reference, { isTest: true }), orderOf(''), orderOf('')];

      for (const order of orders) expect(await placeOrder(ports.placement, order)).toMatchObject({ outcome: 'placed' });
    });

    it('leaves the reference free when stock is short', async () => {
      const reference = aReference();
      const empty = await ports.product({ stock: [] });
      const short = orderOf(reference, { items: [{ productId: empty, quantity: 1 }] });
      expect((await placeOrder(ports.placement, short)).outcome).toBe('short');

      expect(await find(reference)).toBeNull();
      expect(await placeOrder(ports.placement, orderOf(reference))).toMatchObject({ outcome: 'placed' });
    });

    it('places one of eight orders with the same reference at the same moment, and names it to the others', async () => {
      const reference = aReference();
      const orders = Array.from({ length: 8 }, () => orderOf(reference));

      const outcomes = await Promise.all(
        orders.map((order) => placeOrder(ports.placement, order, {}, Deadline.in(10_000))),
      );

      const taken = outcomes.flatMap((one) => (one.outcome === 'taken' ? [one.orderId] : []));
      const placed = orders.filter((_, n) => outcomes[n]?.outcome === 'placed');
      expect([placed.length, taken.length]).toEqual([1, 7]);
      expect(new Set(taken)).toEqual(new Set([placed[0]?.id]));
    });
  });
});

function sum(quantities: readonly number[]): number {
  return quantities.reduce((total, quantity) => total + quantity, 0);
}

function fewestBins(stock: readonly number[], quantity: number): number {
  let fewest = Infinity;
  for (let subset = 0; subset < 2 ** stock.length; subset++) {
    const chosen = stock.filter((_, bin) => (subset >> bin) & 1);
    if (sum(chosen) >= quantity) fewest = Math.min(fewest, chosen.length);
  }
  return fewest;
}
