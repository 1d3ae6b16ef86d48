import { Deadline } from '@app/application';
import { ExternalReferenceTaken } from '@app/domain';
import { ADAPTERS, anOrder, aScope, placeOrder, type PlacingPorts } from './placing.js';

describe.each(ADAPTERS)('OrderPlacement with an external reference, %s', (_name, open) => {
  let ports: PlacingPorts;
  let mug: number;
  let references = 0;
  beforeAll(async () => {
    ports = await open();
    mug = await ports.product({ stock: [1_000] });
  });
  afterAll(() => ports.close());

  const orderOf = (externalReference: string, more: Parameters<typeof anOrder>[1] = {}) =>
    anOrder(ports.storeId, { items: [{ productId: mug, quantity: 1 }], externalReference, ...more });
  const aReference = () => `PO ${++references}/é`;
  const find = (externalReference: string, isTest = false) =>
    ports.placement.findByReference({ storeId: ports.storeId, isTest, externalReference });

  it('finds the placed order by its exact reference, in its store and mode', async () => {
    const reference = aReference();
    const order = orderOf(reference);
    await placeOrder(ports.placement, order);

    expect(await find(reference)).toBe(order.id);
    expect(await find(reference, true)).toBeNull();
    expect(await find(reference.toLowerCase())).toBeNull();
    expect((await ports.placement.check(orderOf(reference), [])).isReferenceTaken).toBe(true);
    expect((await ports.placement.check(orderOf(reference, { isTest: true }), [])).isReferenceTaken).toBe(false);
    const elsewhere = { storeId: ports.storeId + 1, isTest: false, externalReference: reference };
    expect(await ports.placement.findByReference(elsewhere)).toBeNull();
  });

  it('refuses a second order with the reference, names the first, and writes nothing', async () => {
    const reference = aReference();
    const first = orderOf(reference);
    await placeOrder(ports.placement, first);
    const before = await ports.onHand(mug);

    const second = orderOf(reference);
    const refusal = await placeOrder(ports.placement, second).catch((error: Error) => error);

    expect(refusal).toEqual(new ExternalReferenceTaken(first.id));
    expect([await ports.hasOrder(second.id), await ports.onHand(mug)]).toEqual([false, before]);
  });

  it('refuses the reference with another Idempotency-Key, and replays the first order for its own', async () => {
    const reference = aReference();
    const requestOf = () => ({
      scope: aScope(ports.storeId),
      requestHash: Buffer.alloc(32, 'a'),
      answer: ({ id }: { id: string }) => Buffer.from(id),
    });
    const [own, other] = [requestOf(), requestOf()];
    const first = orderOf(reference);
    await placeOrder(ports.placement, first, { idempotency: own });

    const replayed = await placeOrder(ports.placement, orderOf(reference), { idempotency: own });
    const refused = placeOrder(ports.placement, orderOf(reference), { idempotency: other });

    expect(replayed).toMatchObject({ outcome: 'replayed', replay: { orderId: first.id } });
    await expect(refused).rejects.toEqual(new ExternalReferenceTaken(first.id));
    // The refusal leaves the other key free.
    expect(await ports.placement.findReplay(other)).toBeNull();
  });

  it('places a live and a test order with the same reference, and any number without one', async () => {
    const reference = aReference();
    const orders = [orderOf(reference), orderOf(reference, { isTest: true }), orderOf(''), orderOf('')];

    for (const order of orders) expect(await placeOrder(ports.placement, order)).toEqual({ outcome: 'placed' });
  });

  it('leaves the reference free when stock is short', async () => {
    const reference = aReference();
    const empty = await ports.product({ stock: [] });
    const short = orderOf(reference, { items: [{ productId: empty, quantity: 1 }] });
    expect((await placeOrder(ports.placement, short)).outcome).toBe('short');

    expect(await find(reference)).toBeNull();
    expect(await placeOrder(ports.placement, orderOf(reference))).toEqual({ outcome: 'placed' });
  });

  it('reports a committed order as placed when the same attempt is repeated', async () => {
    const order = orderOf(aReference());
    await placeOrder(ports.placement, order);

    expect(await placeOrder(ports.placement, order)).toEqual({ outcome: 'placed' });
  });

  it('places one of eight orders with the same reference at the same moment, and names it to the others', async () => {
    const reference = aReference();
    const orders = Array.from({ length: 8 }, () => orderOf(reference));

    const outcomes = await Promise.all(
      orders.map((order) =>
        placeOrder(ports.placement, order, {}, Deadline.in(10_000)).catch((error: ExternalReferenceTaken) => error),
      ),
    );

    const taken = outcomes.flatMap((one) => (one instanceof ExternalReferenceTaken ? [one.orderId] : []));
    const placed = orders.filter((_, n) => !(outcomes[n] instanceof Error));
    expect([placed.length, taken.length]).toEqual([1, 7]);
    expect(new Set(taken)).toEqual(new Set([placed[0]?.id]));
  });
});
