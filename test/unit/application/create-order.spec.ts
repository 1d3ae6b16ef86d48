import {
  CreateOrder,
  Deadline,
  DeadlineExceeded,
  OrderQuotes,
  ReceiptNumberTaken,
  type FraudScreening,
  type OrderPlacement,
  type Placement,
  type SkuRepository,
} from '@app/application';
import { Money, NO_CHARGES, orderLineOf, type FraudVerdict } from '@app/domain';

/** Places an order of one mug. @param taken how many of its first receipt numbers are in use. */
function placeOne({ taken = 0, verdict = 'ACCEPT' as FraudVerdict, patienceMs = 60_000 }) {
  const placements: Placement[] = [];
  const unitPrice = Money.ofMinor(1000, 'USD');
  const mug = orderLineOf({
    productId: 1,
    variantId: null,
    sku: '',
    name: 'Mug',
    attributes: {},
    unitPrice,
    quantity: 1,
  });
  const createOrder = new CreateOrder(
    new OrderQuotes(
      {} as SkuRepository,
      { price: () => Promise.resolve({ lines: [mug], unavailable: [] }) },
      { chargesOf: () => Promise.resolve(NO_CHARGES) },
    ),
    {
      begin: () => ({ assess: () => Promise.resolve({ verdict, score: 0, reasons: [] }) }),
      recordRejection: () => new Promise(() => undefined),
    } as unknown as FraudScreening,
    {
      place: (placement: Placement) => {
        placements.push(placement);
        return placements.length > taken
          ? Promise.resolve({ outcome: 'placed' })
          : Promise.reject(new ReceiptNumberTaken());
      },
    } as unknown as OrderPlacement,
    { now: () => Promise.resolve(new Date('2026-01-02T23:59:59Z')) },
  );
  const answer = createOrder.execute({
    store: { id: 1, currency: 'USD' },
    mode: 'live',
    request: {
      items: [{ productId: 1, variantId: null, quantity: 1 }],
      customer: { name: 'Ada', email: '', phone: '' },
      address: { address: '', city: '', zip: '', region: '', country: '' },
      paymentMethod: 'COD',
      notes: '',
      externalReference: '',
    },
    idempotencyKey: null,
    deadline: Deadline.in(patienceMs),
  });
  return { answer, numbers: () => placements.map(({ order }) => order.receiptNumber) };
}

describe('CreateOrder', () => {
  it('draws another receipt number, dated by the clock, when the first is in use', async () => {
    const { answer, numbers } = placeOne({ taken: 1 });

    expect((await answer).receipt.receiptNumber).toBe(numbers()[1]);
    expect(new Set(numbers()).size).toBe(2);
    expect(numbers()[1]).toMatch(/^WEB-260102-/);
  });

  it('gives up after three receipt numbers that are in use', async () => {
    const { answer, numbers } = placeOne({ taken: Infinity });

    await expect(answer).rejects.toThrow(ReceiptNumberTaken);
    expect(new Set(numbers()).size).toBe(3);
  });

  it('stops waiting at the deadline while it stores the assessment of a rejected order', async () => {
    const { answer, numbers } = placeOne({ verdict: 'REJECT', patienceMs: 50 });

    await expect(answer).rejects.toThrow(DeadlineExceeded);
    expect(numbers()).toEqual([]);
  }, 2_000);
});
