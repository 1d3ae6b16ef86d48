import {
  CreateOrder,
  Deadline,
  DeadlineExceeded,
  OrderQuotes,
  receiptOf,
  ReceiptNumberTaken,
  type CustomerRepository,
  type FraudScreening,
  type OrderPlacement,
  type OrderReceipt,
  type Placement,
  type SkuRepository,
  type Winner,
} from '@app/application';
import { ExternalReferenceTaken, Money, NO_CHARGES, orderLineOf, wholeAddress, type FraudVerdict } from '@app/domain';

/**
 * Places an order of one mug.
 * @param taken how many of its first receipt numbers are in use.
 * @param pricesAt gets the times for which it is priced; the last one counts.
 * @param winner the request that turns out to have placed an order before this one is refused.
 */
function placeOne({
  taken = 0,
  verdict = 'ACCEPT' as FraudVerdict,
  timeoutMs = 60_000,
  winner = null as Winner | null,
  pricesAt = [] as Date[],
}) {
  const placements: Placement[] = [];
  const rejections: string[] = [];
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
      {
        price: ({ at }) => {
          pricesAt.push(at);
          return Promise.resolve({ lines: [mug], unavailable: [] });
        },
      },
      { chargesOf: () => Promise.resolve(NO_CHARGES) },
      {} as CustomerRepository,
    ),
    {
      begin: () => ({ assess: () => Promise.resolve({ verdict, score: 0, reasons: [] }) }),
      recordRejection: (_storeId: number, orderId: string) => {
        rejections.push(orderId);
        return new Promise(() => undefined);
      },
    } as unknown as FraudScreening,
    {
      winnerOf: (_claim: object, look: 'once' | 'wait') => Promise.resolve(look === 'wait' ? winner : null),
      place: (placement: Placement) => {
        placements.push(placement);
        return placements.length > taken
          ? Promise.resolve({ outcome: 'placed', receipt: receiptOf(placement.order) })
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
      address: wholeAddress({}),
      billing: null,
      paymentMethod: 'COD',
      notes: '',
      externalReference: '',
    },
    idempotency: null,
    deadline: Deadline.in(timeoutMs),
  });
  return { answer, rejections, numbers: () => placements.map(({ order }) => order.receiptNumber) };
}

describe('CreateOrder', () => {
  it('draws another receipt number, dated by the clock, when the first is in use', async () => {
    const { answer, numbers } = placeOne({ taken: 1 });

    expect((await answer).receipt.receiptNumber).toBe(numbers()[1]);
    expect(new Set(numbers()).size).toBe(2);
    expect(numbers()[1]).toMatch(/^WEB-260102-/);
  });

  it('is priced for its date when the clock of the process may show another day', async () => {
    const pricesAt: Date[] = [];

    const { receipt } = await placeOne({ pricesAt }).answer;

    expect(pricesAt.at(-1)).toEqual(new Date('2026-01-02T23:59:59Z'));
    expect(receipt.receiptNumber).toMatch(/^WEB-260102-/);
  });

  it('gives up after three receipt numbers that are in use', async () => {
    const { answer, numbers } = placeOne({ taken: Infinity });

    await expect(answer).rejects.toThrow(ReceiptNumberTaken);
    expect(new Set(numbers()).size).toBe(3);
  });

  it('stops waiting at the deadline while it stores the assessment of a rejected order', async () => {
    const { answer, numbers, rejections } = placeOne({ verdict: 'REJECT', timeoutMs: 50 });

    await expect(answer).rejects.toThrow(DeadlineExceeded);
    expect([numbers(), rejections.length]).toEqual([[], 1]);
  }, 2_000);

  const receipt = { orderId: 'earlier', receiptNumber: 'WEB-1' } as OrderReceipt;

  it('answers a rejected order with the one that a request with its key placed meanwhile, and records no rejection', async () => {
    const { answer, rejections } = placeOne({ verdict: 'REJECT', winner: { outcome: 'replayed', receipt } });

    expect([await answer, rejections]).toEqual([{ receipt, isReplay: true }, []]);
  });

  it('names the order that has the reference of a rejected one, and records no rejection', async () => {
    const { answer, rejections } = placeOne({ verdict: 'REJECT', winner: { outcome: 'taken', orderId: 'earlier' } });

    await expect(answer).rejects.toEqual(new ExternalReferenceTaken('earlier'));
    expect(rejections).toEqual([]);
  });
});
