import {
  changeLines,
  Money,
  NO_CHARGES,
  orderLineOf,
  type LinesRequest,
  type OrderLine,
  type PlacedOrderState,
} from '@app/domain';
import { anOrder, aShipment, money, refunded, thrown, units, effectsOf } from '../../builders/order-state.js';

/** Returns an order with some units of line 1 in a shipment. */
const shipped = (status: 'picking' | 'shipped' | 'delivered', quantity: number): Partial<PlacedOrderState> => ({
  fulfillmentStatus: 'PROCESSING',
  shipments: [aShipment({ status, items: [units(1, quantity)] })],
});

function aProduct(productId: number, quantity: number): OrderLine {
  const unitPrice = Money.ofMinor(1200, 'USD');
  return orderLineOf({ productId, variantId: null, sku: 'A', name: 'A', attributes: {}, unitPrice, quantity });
}

const asking = (values: Partial<LinesRequest>): LinesRequest => ({
  set: [],
  add: [],
  unavailable: [],
  currency: 'USD',
  ...values,
});
const set = (...quantities: number[]) =>
  quantities.map((quantity, index) => ({ line: index + 1, quantity })).filter(({ quantity }) => quantity >= 0);

it('keeps prices, adds lines at theirs, and takes and returns the stock of the differences', () => {
  const request = asking({
    set: set(5, 0),
    add: [aProduct(1, 2), aProduct(3, 1)],
    expectedTotal: Money.ofMinor(8_600, 'USD'),
  });

  const change = changeLines(anOrder(), request, () => NO_CHARGES);

  expect(effectsOf(change).lines).toMatchObject({
    changed: [
      { line: 1, quantity: 5, tax: [], discount: 0 },
      { line: 2, quantity: 0, tax: [], discount: 0 },
    ],
    added: request.add,
    ...{ amount: 5100, totalAmount: 8600, units: 4 },
    demand: [
      {
        productId: 1,
        quantity: 4,
        lines: [
          { line: 0, quantity: 2 },
          { line: 1, quantity: 2 },
        ],
      },
      { productId: 3, quantity: 1, lines: [{ line: 2, quantity: 1 }] },
    ],
    demandLines: [
      { position: 0, source: { list: 'set', line: 0 } },
      { position: 2, source: { list: 'add', line: 0 } },
      { position: 3, source: { list: 'add', line: 1 } },
    ],
  });
  expect(effectsOf(change).restock).toEqual({
    movement: 'ORDER',
    lines: [{ line: 2, quantity: 1 }],
    alsoLocks: effectsOf(change).lines?.demand,
  });
  expect(change.events).toMatchObject([
    {
      event: 'lines_changed',
      details: {
        ...{ totalBefore: 3500, totalAfter: 8600 },
        items: [
          { line: 1, before: 3, after: 5 },
          { line: 2, before: 1, after: 0 },
          { line: 3, before: 0, after: 2 },
          { line: 4, before: 0, after: 1 },
        ],
      },
    },
  ]);
});

it.each([
  ['negative', 1_000, set(1, 0), -1_500],
  ['too large', Number.MAX_SAFE_INTEGER, set(4, 1), Number.MAX_SAFE_INTEGER + 1_000],
])('refuses a total that would be %s', (fault, totalAmount, quantities, total) => {
  const edit = () => changeLines(anOrder({ totalAmount }), asking({ set: quantities }), () => NO_CHARGES);

  expect(thrown(edit)).toBe('total_out_of_range');
  expect(edit).toThrow(`the order total would be ${total} minor units, which is ${fault}`);
});

it('changes nothing when the order has these quantities', () => {
  expect(changeLines(anOrder(), asking({ set: set(3, 1) }), () => NO_CHARGES)).toEqual(anOrder().unchanged());
});

it.each([
  ['shipped', 'SHIPPED', ['lines_changed ', 'status_changed S-1']],
  ['delivered', 'DELIVERED', ['lines_changed ', 'status_changed S-1', 'status_changed S-1']],
  ['picking', 'PROCESSING', ['lines_changed ']],
] as const)('leaves an order of which only %s units are left %s', (status, expected, events) => {
  const change = changeLines(anOrder(shipped(status, 2)), asking({ set: set(2, 0) }), () => NO_CHARGES);

  expect(change.fulfillmentStatus).toBe(expected);
  expect(change.events.map(({ event, reference }) => `${event} ${reference}`)).toEqual(events);
});

const paid = (amount: number) => [money('pi_1', amount)];
it.each<[string, Partial<PlacedOrderState>, number, string]>([
  ['more, all paid before', { status: 'SUCCEEDED', payments: paid(3500) }, 4, 'PENDING'],
  ['less, all paid before', { status: 'SUCCEEDED', payments: paid(3500) }, 2, 'SUCCEEDED'],
  [
    'more, paid in full and refunded in part',
    { status: 'SUCCEEDED', payments: paid(3500), refunds: [refunded('re_1', 500)] },
    4,
    'PENDING',
  ],
  ['less, which was paid', { payments: paid(2500) }, 2, 'SUCCEEDED'],
  ['less, which was not paid', { payments: paid(2400) }, 2, 'PENDING'],
])('follows the payments when the order costs %s', (_name, state, quantity, status) => {
  const change = changeLines(anOrder(state), asking({ set: set(quantity) }), () => NO_CHARGES);

  expect(change.status).toBe(status);
});

it.each<[string, Partial<PlacedOrderState>, Partial<LinesRequest>]>([
  ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }, { set: set(4) }],
  ['already_shipped', { fulfillmentStatus: 'SHIPPED' }, { set: set(4) }],
  ['already_shipped', shipped('shipped', 2), { set: set(1) }],
  ['being_picked', shipped('picking', 2), { set: set(1) }],
  ['nothing', shipped('picking', 2), { set: set(2) }],
  ['units_without_bin', { hasTakenStock: false }, { set: set(4) }],
  ['not_found', {}, { set: [{ line: 3, quantity: 1 }] }],
  ['item_unavailable', {}, { unavailable: [{ line: 0, what: 'product', id: 9 }] }],
  ['quantity_not_offered', {}, { notOffered: [{ line: 0, list: 'set', requested: 5, minQuantity: 6, step: 1 }] }],
  ['currency_mismatch', {}, { add: [aProduct(1, 1)], currency: 'EUR' }],
  ['price_changed', {}, { set: set(4), expectedTotal: Money.ofMinor(4_499, 'USD') }],
  ['nothing', {}, { set: set(4), expectedTotal: Money.ofMinor(4_500, 'USD') }],
  ['no_units_left', {}, { set: set(0, 0) }],
  ['payment_unrecorded', { status: 'SUCCEEDED' }, { set: set(4) }],
  ['payment_unrecorded', { status: 'REFUNDED' }, { set: set(1) }],
  ['nothing', {}, { set: set(0, 0), add: [aProduct(1, 1)] }],
  ['invalid_request', {}, { add: Array.from({ length: 99 }, () => aProduct(1, 1)) }],
])('answers %s for %j and %j', (code, state, request) => {
  expect(thrown(() => changeLines(anOrder(state), asking(request), () => NO_CHARGES))).toBe(code);
});

it('makes an order whose payment was cancelled payable again when it gets units that are owed', () => {
  const credited = { status: 'CANCELLED', refunds: [refunded('re_1', 0, [], { credited: 3500 })] } as const;

  const change = changeLines(anOrder(credited), asking({ add: [aProduct(3, 1)] }), () => NO_CHARGES);

  expect(change.status).toBe('PENDING');
  expect(anOrder(credited).ledgerAfter(change)).toMatchObject({ owed: 1200, open: 1200 });
});
