import { DomainError } from '../shared/domain-error.js';
import { Money } from '../money/money.js';
import { wholeAddress } from '../shared/postal-address.js';
import { changeLines, type LinesRequest } from './change-lines.js';
import { orderLineOf, type OrderLine } from './order-line.js';
import { PlacedOrder, type PlacedOrderState } from './placed-order.js';

/** Three units of product 1 for 10.00 USD each in line 1, and one of product 2 for 5.00 USD in line 2. */
function anOrder(values: Partial<PlacedOrderState> = {}): PlacedOrder {
  return new PlacedOrder({
    ...{ status: 'PENDING', fulfillmentStatus: 'PENDING', unshippedStatus: 'PENDING' },
    ...{ totalAmount: 3500, currency: 'USD', payments: [], refunds: [], shipments: [] },
    ...{ isHeld: false, isHeldByPerson: false, isConfirmationHeld: false, hasTakenStock: true },
    ...{ metadata: {}, lineMetadata: [], mails: [] },
    contact: { customer: { name: 'Ada', email: '', phone: '' }, shippingAddress: wholeAddress({}) },
    lines: [
      { line: 1, productId: 1, variantId: null, unitPrice: 1000, quantity: 3, returned: 0, cancelledQuantity: 0 },
      { line: 2, productId: 2, variantId: 7, unitPrice: 500, quantity: 1, returned: 0, cancelledQuantity: 0 },
    ],
    ...values,
  });
}

function aShipment(status: 'picking' | 'shipped' | 'delivered', quantity: number): Partial<PlacedOrderState> {
  const tracking = { carrier: '', trackingNumber: '', trackingUrl: '' };
  const times = { shippedAt: null, deliveredAt: null };
  const items = [{ line: 1, quantity }];
  const shipment = { reference: 'S-1', status, items, ...tracking, ...times, notify: true, requestHash: 'hash' };
  return { fulfillmentStatus: 'PROCESSING', shipments: [shipment] };
}

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

function codeOf(change: () => unknown): string {
  try {
    change();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
  return 'nothing';
}

it('keeps prices, adds lines at theirs, and takes and returns the stock of the differences', () => {
  const request = asking({
    set: set(5, 0),
    add: [aProduct(1, 2), aProduct(3, 1)],
    expectedTotal: Money.ofMinor(8_600, 'USD'),
  });

  const change = changeLines(anOrder(), request);

  expect(change.lines).toMatchObject({
    quantities: [
      { line: 1, quantity: 5 },
      { line: 2, quantity: 0 },
    ],
    added: request.add,
    ...{ amount: 5100, totalAmount: 8600, units: 4 },
    demand: [
      { productId: 1, quantity: 4, lines: [0, 1] },
      { productId: 3, quantity: 1, lines: [2] },
    ],
    places: [
      { list: 'set', line: 0 },
      { list: 'add', line: 0 },
      { list: 'add', line: 1 },
    ],
  });
  expect(change.restock).toEqual({ kind: 'ORDER', lines: [{ line: 2, quantity: 1 }] });
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

it('changes nothing when the order has these quantities', () => {
  expect(changeLines(anOrder(), asking({ set: set(3, 1) }))).toEqual(anOrder().unchanged());
});

it.each([
  ['shipped', 'SHIPPED', ['lines_changed ', 'status_changed S-1']],
  ['delivered', 'DELIVERED', ['lines_changed ', 'status_changed S-1', 'status_changed S-1']],
  ['picking', 'PROCESSING', ['lines_changed ']],
] as const)('leaves an order of which only %s units are left %s', (status, expected, events) => {
  const change = changeLines(anOrder(aShipment(status, 2)), asking({ set: set(2, 0) }));

  expect(change.fulfillmentStatus).toBe(expected);
  expect(change.events.map(({ event, reference }) => `${event} ${reference}`)).toEqual(events);
});

const paid = (amount: number) => [{ reference: 'pi_1', amount, writtenOff: 0, requestHash: 'hash' }];
it.each<[string, Partial<PlacedOrderState>, number, string]>([
  ['more, all paid before', { status: 'SUCCEEDED', payments: paid(3500) }, 4, 'PENDING'],
  ['less, all paid before', { status: 'SUCCEEDED', payments: paid(3500) }, 2, 'SUCCEEDED'],
  [
    'more, paid in full and refunded in part',
    { status: 'SUCCEEDED', payments: paid(3500), refunds: paid(500) },
    4,
    'PENDING',
  ],
  ['less, which was paid', { payments: paid(2500) }, 2, 'SUCCEEDED'],
  ['less, which was not paid', { payments: paid(2400) }, 2, 'PENDING'],
])('follows the payments when the order costs %s', (_name, state, quantity, status) => {
  const change = changeLines(anOrder(state), asking({ set: set(quantity) }));

  expect(change.status).toBe(status);
});

it.each<[string, Partial<PlacedOrderState>, Partial<LinesRequest>]>([
  ['order_cancelled', { fulfillmentStatus: 'CANCELLED' }, { set: set(4) }],
  ['already_shipped', { fulfillmentStatus: 'SHIPPED' }, { set: set(4) }],
  ['already_shipped', aShipment('shipped', 2), { set: set(1) }],
  ['being_picked', aShipment('picking', 2), { set: set(1) }],
  ['nothing', aShipment('picking', 2), { set: set(2) }],
  ['units_without_bin', { hasTakenStock: false }, { set: set(4) }],
  ['not_found', {}, { set: [{ line: 3, quantity: 1 }] }],
  ['item_unavailable', {}, { unavailable: [{ line: 0, what: 'product', id: 9 }] }],
  ['currency_mismatch', {}, { add: [aProduct(1, 1)], currency: 'EUR' }],
  ['price_changed', {}, { set: set(4), expectedTotal: Money.ofMinor(4_499, 'USD') }],
  ['nothing', {}, { set: set(4), expectedTotal: Money.ofMinor(4_500, 'USD') }],
  ['no_units_left', {}, { set: set(0, 0) }],
  ['payment_unrecorded', { status: 'SUCCEEDED' }, { set: set(4) }],
  ['payment_unrecorded', { status: 'REFUNDED' }, { set: set(1) }],
  ['nothing', {}, { set: set(0, 0), add: [aProduct(1, 1)] }],
  ['invalid_request', {}, { add: Array.from({ length: 99 }, () => aProduct(1, 1)) }],
])('answers %s for %j and %j', (code, state, request) => {
  expect(codeOf(() => changeLines(anOrder(state), asking(request)))).toBe(code);
});
