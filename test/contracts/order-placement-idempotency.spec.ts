import { Deadline, IdempotencyInFlight, IdempotencyMismatch, type IdempotentRequest } from '@app/application';
import { ADAPTERS, anOrder, aScope, placeOrder, type PlacingPorts } from './placing.js';

const HASH = Buffer.alloc(32, 'a');
const OTHER_HASH = Buffer.alloc(32, 'b');

describe.each(ADAPTERS)('OrderPlacement with an Idempotency-Key, %s', (_name, open) => {
  let ports: PlacingPorts;
  let mug: number;
  beforeAll(async () => {
    ports = await open();
    mug = await ports.product({ stock: [1_000] });
  });
  afterAll(() => ports.close());

  const requestOf = (scope = aScope(ports.storeId), requestHash = HASH): IdempotentRequest => ({
    scope,
    requestHash,
    answer: ({ id }) => Buffer.from(`{"id":"${id}","total":19.90,"name":"Łódź \\u0000"}`),
  });
  const place = (idempotency: IdempotentRequest, quantity = 1, productId = mug, deadline = Deadline.in(5_000)) => {
    const order = anOrder(ports.storeId, { items: [{ productId, quantity }] });
    const placed = placeOrder(ports.placement, order, { idempotency }, deadline);
    return { order, placed };
  };
  const inTime = () => Deadline.in(5_000);

  it('finds no replay for an unused key', async () => {
    expect(await ports.placement.findReplay(requestOf())).toBeNull();
    expect(await ports.placement.awaitReplay(requestOf(), inTime())).toBeNull();
  });

  it('stores the order and the bytes of its answer for replays', async () => {
    const request = requestOf();
    const { order, placed } = place(request);
    expect(await placed).toEqual({ outcome: 'placed' });
    const replay = { orderId: order.id, answer: request.answer(order) };

    expect(await ports.placement.findReplay(request)).toEqual(replay);
    expect(await ports.placement.awaitReplay(request, inTime())).toEqual(replay);
  });

  it('replays the first order when the key is placed again, and writes nothing', async () => {
    const request = requestOf();
    const first = place(request);
    await first.placed;
    const before = await ports.onHand(mug);

    const second = place(request, 3);

    const replay = { orderId: first.order.id, answer: request.answer(first.order) };
    expect(await second.placed).toEqual({ outcome: 'replayed', replay });
    expect([await ports.hasOrder(second.order.id), await ports.onHand(mug)]).toEqual([false, before]);
  });

  it('rejects a key that was used with another request, and writes nothing', async () => {
    const scope = aScope(ports.storeId);
    await place(requestOf(scope)).placed;
    const other = requestOf(scope, OTHER_HASH);

    await expect(ports.placement.findReplay(other)).rejects.toThrow(IdempotencyMismatch);
    await expect(ports.placement.awaitReplay(other, inTime())).rejects.toThrow(IdempotencyMismatch);
    const { order, placed } = place(other);
    await expect(placed).rejects.toThrow(IdempotencyMismatch);

    expect(await ports.hasOrder(order.id)).toBe(false);
  });

  it('separates live and test keys', async () => {
    const scope = aScope(ports.storeId);
    await place(requestOf(scope)).placed;

    expect(await place(requestOf({ ...scope, mode: 'test' })).placed).toEqual({ outcome: 'placed' });
  });

  it('does not use up the key when stock is short', async () => {
    const request = requestOf();
    const { order, placed } = place(request, 1, await ports.product({ stock: [] }));
    expect((await placed).outcome).toBe('short');

    expect(await ports.hasOrder(order.id)).toBe(false);
    expect(await ports.placement.awaitReplay(request, inTime())).toBeNull();
    expect(await place(request).placed).toEqual({ outcome: 'placed' });
  });

  it('does not use up the key by waiting for a replay', async () => {
    const request = requestOf();
    await ports.placement.awaitReplay(request, inTime());

    expect(await ports.placement.findReplay(request)).toBeNull();
    expect(await place(request).placed).toEqual({ outcome: 'placed' });
  });

  it('places one of eight requests with the same key at the same moment, and replays it to the others', async () => {
    const request = requestOf();
    const before = await ports.onHand(mug);

    const placements = Array.from({ length: 8 }, () => place(request));
    const outcomes = await Promise.all(placements.map(({ placed }) => placed));

    const first = placements[outcomes.findIndex(({ outcome }) => outcome === 'placed')]?.order;
    const replays = outcomes.flatMap((outcome) => (outcome.outcome === 'replayed' ? [outcome.replay] : []));
    expect(replays).toHaveLength(7);
    expect(new Set(replays.map(({ orderId }) => orderId))).toEqual(new Set([first?.id]));
    expect(await ports.onHand(mug)).toBe(before - 1);
  });

  it('reports a key as in flight while its first request is still running, and writes nothing', async () => {
    const request = requestOf();
    const release = await ports.holdKey(request.scope);

    expect(await ports.placement.findReplay(request)).toBeNull();
    const { order, placed } = place(request, 1, mug, Deadline.in(200));
    await expect(placed).rejects.toThrow(IdempotencyInFlight);
    await expect(ports.placement.awaitReplay(request, Deadline.in(200))).rejects.toThrow(IdempotencyInFlight);
    await release();

    expect(await ports.hasOrder(order.id)).toBe(false);
    expect(await place(request).placed).toEqual({ outcome: 'placed' });
  });

  it('reports a committed order as placed when the same attempt is repeated with its key', async () => {
    const idempotency = requestOf();
    const { order, placed } = place(idempotency);
    await placed;
    const before = await ports.onHand(mug);

    expect(await placeOrder(ports.placement, order, { idempotency })).toEqual({ outcome: 'placed' });
    expect(await ports.onHand(mug)).toBe(before);
  });
});
