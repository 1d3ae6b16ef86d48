import { CancelOrder, type OrderKey } from '@app/application';
import { ANALYSIS_UNAVAILABLE, NotFound, OrderCancelled, type FraudAssessment } from '@app/domain';
import { ACCEPTED, ADAPTERS, anOrder, placeOrder, type PlacingPorts } from './placing.js';

function review(...rules: string[]): FraudAssessment {
  return { verdict: 'REVIEW', score: 50 * rules.length, reasons: rules.map((rule) => ({ rule, score: 50 })) };
}

describe.each(ADAPTERS)('HeldOrders and StageRetries %s', (_name, open) => {
  let ports: PlacingPorts;
  let productId: number;
  beforeAll(async () => {
    ports = await open();
    productId = await ports.product({ stock: [1_000] });
  });
  afterAll(() => ports.close());

  async function placed(assessment: FraudAssessment) {
    const order = anOrder(ports.storeId, { items: [{ productId, quantity: 1 }] });
    await placeOrder(ports.placement, order, { assessment });
    return { storeId: ports.storeId, orderId: order.id };
  }
  const release = (id: OrderKey) => ports.held.release(id);
  const settle = (id: OrderKey, assessment: FraudAssessment) => ports.held.settle(id, assessment);
  const heldFor = async (id: OrderKey) => (await ports.retries.retry(id)).heldFor;
  const customerStage = async ({ orderId }: { orderId: string }) => (await ports.stages(orderId))[0];
  const list = async (reasons: string[] | null, subdomain: string | null = ports.subdomain, limit = 1_000) =>
    (await ports.held.list({ subdomain, reasons }, limit, null)).map(({ orderId }) => orderId);

  it('lists held orders with their reasons, and no other orders', async () => {
    const { orderId } = await placed(review('rule_a', 'rule_b'));
    const accepted = await placed(ACCEPTED);

    const held = await ports.held.list({ subdomain: ports.subdomain, reasons: null }, 1_000, null);

    expect(held.find((order) => order.orderId === orderId)).toEqual({
      storeId: ports.storeId,
      subdomain: ports.subdomain,
      orderId,
      receiptNumber: expect.stringMatching(/^WEB-/) as string,
      totalAmount: 1000,
      currency: 'USD',
      isTest: false,
      createdAt: new Date('2026-11-20T12:00:00.000Z'),
      reasons: ['rule_a', 'rule_b'],
    });
    expect(held.map((order) => order.orderId)).not.toContain(accepted.orderId);
  });

  it('lists orders that are held for the given reasons only', async () => {
    const [one, two, both] = [
      await placed(review('only_x')),
      await placed(review('only_y')),
      await placed(review('only_x', 'only_y')),
    ];
    await placed({ ...ACCEPTED, verdict: 'REVIEW' });

    expect(await list(['only_x'])).toEqual([one.orderId]);
    expect(await list(['only_x', 'only_y', 'other'])).toEqual([one.orderId, two.orderId, both.orderId]);
    expect(await list(['only_x'], 'another')).toEqual([]);
    expect(await list(['only_x'], null)).toEqual([one.orderId]);
  });

  it('lists by order id, up to the limit, after the given order', async () => {
    const filter = { subdomain: null, reasons: ['paged'] };
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await placed(review('paged'))).orderId);

    const first = await ports.held.list(filter, 2, null);
    const rest = await ports.held.list(filter, 2, first[1] ?? null);

    expect(first.map(({ orderId }) => orderId)).toEqual(ids.slice(0, 2));
    expect(rest.map(({ orderId }) => orderId)).toEqual(ids.slice(2));
  });

  it('queues the confirmation of a released order once', async () => {
    const id = await placed(review('released'));

    expect(await Promise.all([release(id), release(id), release(id)])).toEqual(expect.arrayContaining([true, false]));
    expect(await release(id)).toBe(false);

    expect(await customerStage(id)).toBe('notify-customer pending');
    expect(await list(['released'])).toEqual([]);
    expect(await heldFor(id)).toBeNull();
  });

  it('releases an order once when eight releases arrive at the same moment', async () => {
    const id = await placed(review('released'));

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => release(id)));

    expect(outcomes.filter((released) => released)).toHaveLength(1);
  });

  it('rejects the release of a cancelled order', async () => {
    const id = await placed(review('cancelled'));
    await new CancelOrder(ports.lifecycle).execute(id);

    await expect(release(id)).rejects.toThrow(OrderCancelled);

    expect(await customerStage(id)).toBe('notify-customer dead');
    expect(await list(['cancelled'])).toEqual([]);
  });

  it('neither releases nor settles an order of another store', async () => {
    const { orderId } = await placed(ANALYSIS_UNAVAILABLE);
    const foreign = { storeId: 999_999, orderId };

    await expect(release(foreign)).rejects.toThrow(NotFound);
    expect(await settle(foreign, ACCEPTED)).toBe(false);

    expect(await customerStage({ orderId })).toBe('notify-customer held');
    await release({ storeId: ports.storeId, orderId });
  });

  it('queues the confirmation of an order that a later analysis accepts', async () => {
    const id = await placed(ANALYSIS_UNAVAILABLE);
    expect(await heldFor(id)).toEqual(['analysis_unavailable']);

    expect(await settle(id, ACCEPTED)).toBe(true);

    expect(await customerStage(id)).toBe('notify-customer pending');
    expect(await ports.assessment(id.orderId)).toEqual(ACCEPTED);
    expect(await settle(id, review('too_late'))).toBe(false);
    expect(await ports.assessment(id.orderId)).toEqual(ACCEPTED);
  });

  it('holds an order for the reasons of a later analysis', async () => {
    const id = await placed(ANALYSIS_UNAVAILABLE);

    expect(await settle(id, review('found_later'))).toBe(true);

    expect(await customerStage(id)).toBe('notify-customer held');
    expect(await heldFor(id)).toEqual(['found_later']);
    expect(await list(['found_later'])).toEqual([id.orderId]);
    expect(await list(['analysis_unavailable'])).not.toContain(id.orderId);
    expect(await ports.assessment(id.orderId)).toEqual(review('found_later'));
  });

  it('does not settle an order that is held for another reason', async () => {
    const id = await placed(review('amount_over_limit'));

    expect(await settle(id, ACCEPTED)).toBe(false);

    expect(await customerStage(id)).toBe('notify-customer held');
    expect((await ports.assessment(id.orderId))?.verdict).toBe('REVIEW');
  });

  it('does not retry a held stage, and returns the reasons of the hold', async () => {
    const id = await placed(review('amount_over_limit'));

    const retried = await ports.retries.retry(id);

    expect(retried).toEqual({ stages: [], running: [], heldFor: ['amount_over_limit'], cancelled: false });
    expect(await customerStage(id)).toBe('notify-customer held');
  });

  it('does not find the stages of an order of another store', async () => {
    const { orderId } = await placed(ACCEPTED);

    await expect(ports.retries.retry({ storeId: 999_999, orderId })).rejects.toThrow(NotFound);
  });

  it('does not retry the confirmation of a cancelled order', async () => {
    const id = await placed(review('amount_over_limit'));
    await new CancelOrder(ports.lifecycle).execute(id);

    const retried = await ports.retries.retry(id);

    expect(retried).toEqual({ stages: [], running: [], heldFor: null, cancelled: true });
    expect(await customerStage(id)).toBe('notify-customer dead');
  });
});
