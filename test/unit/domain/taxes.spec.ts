import {
  bookingsOf,
  cancelOrder,
  changeLines,
  chargesBy,
  domainErrors,
  Money,
  patchOrder,
  PlacedOrder,
  quoteOf,
  recordRefund,
  taxLinesOf,
  wholeAddress,
  type BookedCredit,
  type ChargeableOrder,
  type ChargeRules,
  type Currency,
  type LineQuantity,
  type OrderChange,
  type PlacedOrderState,
  type Tax,
  type TaxRate,
} from '@app/domain';
import {
  aLine,
  anOrder,
  aShipment,
  cancellation,
  CONTACT,
  effectsOf,
  money,
  refunded,
  refunding,
  units,
} from '../../builders/order-state.js';

const RATES: readonly TaxRate[] = [
  { country: 'DE', category: null, name: 'MwSt.', rate: 19 },
  { country: 'DE', category: 'books', name: 'MwSt.', rate: 7 },
  { country: 'FR', category: null, name: 'TVA', rate: 20 },
  { country: 'FR', category: 'books', name: 'TVA', rate: 5.5 },
  { country: 'CH', category: null, name: 'MWST', rate: 8.1 },
];
const RULES: ChargeRules = {
  isTaxIncluded: true,
  rates: RATES,
  reverseChargeFrom: 'DE',
  shipping: { amount: 490, freeFrom: 10_000 },
};
const LAMP = 1;
const BOOK = 2;

/** Orders one lamp for 59.90 and three books for 12.95 each. */
function anOrderFor(address: { readonly country: string; readonly vat_id?: string }, lamps = 1): ChargeableOrder {
  const line = (productId: number, minor: number, quantity: number) => {
    const unitPrice = Money.ofMinor(minor, 'EUR');
    const item = { productId, variantId: null, sku: '', name: '', attributes: {}, quantity };
    return { ...item, unitPrice, total: unitPrice.times(quantity) };
  };
  const lines = [line(LAMP, 5_990, lamps), line(BOOK, 1_295, 3)];
  const { subtotal, currency, paymentMethod } = quoteOf({ currency: 'EUR', paymentMethod: 'COD', lines });
  const whole = wholeAddress(address);
  return {
    currency,
    paymentMethod,
    lines,
    subtotal,
    customer: CONTACT.customer,
    address: whole,
    billing: { name: '', ...whole },
  };
}

const charge = (rules: Partial<ChargeRules>, order: ChargeableOrder) =>
  chargesBy({ ...RULES, ...rules }, order, ({ productId }) => (productId === BOOK ? ['novels', 'books'] : ['lamps']));

/** Returns what the charges say, one text per line: discount, then taxes. */
function formattedTaxes(order: ChargeableOrder, rules: Partial<ChargeRules> = {}): string[] {
  const { shipping, shippingTax, lines } = charge(rules, order);
  const textOf = (taxes: (typeof lines)[number]['tax']) =>
    taxes.map(({ name, rate, amount }) => `${name} ${rate}: ${amount}`);
  return [
    ...lines.map(({ tax, discount }) => [...(discount ? [`-${discount}`] : []), ...textOf(tax)].join(', ')),
    [`${shipping}`, ...textOf(shippingTax)].join(', '),
  ];
}

describe('the rules of a store', () => {
  // Computed by hand: 5990 × 19 / 119 = 956.39; 3885 × 7 / 107 = 254.16; 490 × 19 / 119 = 78.24.
  it('find the tax in prices that include it, at the reduced rate for books', () => {
    expect(formattedTaxes(anOrderFor({ country: 'DE' }))).toEqual([
      'MwSt. 19: 956',
      'MwSt. 7: 254',
      '490, MwSt. 19: 78',
    ]);
  });

  // 5990 × 20 / 100 = 1198; 3885 × 5.5 / 100 = 213.675; 490 × 20 / 100 = 98.
  it('add the tax of another country to prices without', () => {
    expect(formattedTaxes(anOrderFor({ country: 'FR' }), { isTaxIncluded: false })).toEqual([
      ...['TVA 20: 1198', 'TVA 5.5: 214', '490, TVA 20: 98'],
    ]);
  });

  // 5990 × 8.1 / 100 = 485.19; 3885 × 8.1 / 100 = 314.685; 490 × 8.1 / 100 = 39.69.
  it('take the rate of all goods where a country has no reduced one', () => {
    expect(formattedTaxes(anOrderFor({ country: 'CH' }), { isTaxIncluded: false })).toEqual([
      ...['MWST 8.1: 485', 'MWST 8.1: 315', '490, MWST 8.1: 40'],
    ]);
  });

  it('charge no tax in a country without a rate, and no shipping from an amount on', () => {
    expect(formattedTaxes(anOrderFor({ country: 'US' }, 2))).toEqual(['', '', '0']);
  });

  it('charge a business in another country of the EU no tax, and take off what the prices include', () => {
    const order = anOrderFor({ country: 'FR', vat_id: 'FR40303265045' });

    expect(formattedTaxes(order)).toEqual([
      ...['-956, Reverse charge 0: 0', '-254, Reverse charge 0: 0', '412, Reverse charge 0: 0'],
    ]);
    expect(formattedTaxes(order, { isTaxIncluded: false })).toEqual([
      ...['Reverse charge 0: 0', 'Reverse charge 0: 0', '490, Reverse charge 0: 0'],
    ]);
  });

  it.each([
    ['of its own country', { country: 'DE', vat_id: 'DE811569869' }, 'MwSt. 19: 956'],
    ['of its own country that gets goods abroad', { country: 'FR', vat_id: 'DE811569869' }, 'TVA 20: 998'],
    ['of a country outside of the EU', { country: 'CH', vat_id: 'CHE116281710' }, 'MWST 8.1: 449'],
    ['without a VAT id', { country: 'FR' }, 'TVA 20: 998'],
  ])('charge a business %s as a consumer', (_name, address, tax) => {
    expect(formattedTaxes(anOrderFor(address))[0]).toBe(tax);
  });

  it('know the prefix of Greece', () => {
    expect(formattedTaxes(anOrderFor({ country: 'GR', vat_id: 'EL094259216' }))[0]).toBe('-956, Reverse charge 0: 0');
  });
});

const VAT = (rate: number, amount: number) => ({ name: 'VAT', rate, amount });

/** Three lamps at 10.00 with 19 percent, a book at 5.00 with 7, and shipping at 5.00 with 19: taxes on top. */
function taxed(values: Partial<PlacedOrderState> = {}): PlacedOrder {
  return anOrder({
    totalAmount: 4_700,
    taxAmount: 700,
    shippingAmount: 500,
    shippingTax: [VAT(19, 95)],
    lines: [aLine(1, 3, { tax: [VAT(19, 570)] }), aLine(2, 1, { tax: [VAT(7, 35)] })],
    ...values,
  });
}

const all = (quantity: number): readonly LineQuantity[] => [units(1, quantity)];
const shippedOrder = (values: Partial<PlacedOrderState> = {}) => taxed({ shipments: [aShipment()], ...values });
const paid = { status: 'SUCCEEDED', payments: [money('pi', 4_700)] } as const;

/** Returns what the journal has of a credit. */
const credit = (reference: string, credited: number, ...taxes: readonly Tax[]): BookedCredit => {
  return { kind: 'credit', reference, credited, taxLines: taxes.map((tax) => ({ ...tax, included: false })) };
};

/** Returns the bookings of a change: kind, what they credit, and their taxes by rate. */
const booked = (order: PlacedOrder, change: OrderChange) =>
  bookingsOf(order, change).map(({ kind, credited, taxLines }) => {
    return [kind, credited, Object.fromEntries(taxLines.map(({ rate, amount }) => [rate, amount]))];
  });
const creditOf = (order: PlacedOrder, values: Parameters<typeof refunding>[0]) =>
  booked(order, recordRefund(order, refunding(values)));

describe('the taxes of a credit', () => {
  it('are those that were sold, by rate, where nothing is credited', () => {
    expect(taxLinesOf(taxed().state)).toEqual([
      { ...VAT(19, 665), included: false },
      { ...VAT(7, 35), included: false },
    ]);
  });

  it.each<[string, Parameters<typeof refunding>[0], readonly unknown[]]>([
    ['of a book', { amount: 535, lines: [units(2, 1)] }, ['credit', 535, { 7: 35 }]],
    ['of a lamp', { amount: 1190, lines: [units(1, 1)] }, ['credit', 1190, { 19: 190 }]],
    ['of half a lamp', { amount: 595, credited: 595, lines: [units(1, 1)] }, ['credit', 595, { 19: 95 }]],
    ['of the shipping', { amount: 595, reason: 'shipping' }, ['credit', 595, { 19: 95 }]],
    ['of a tenth for goodwill', { amount: 470 }, ['credit', 470, { 19: 67, 7: 4 }]],
    ['of all', { amount: 4700 }, ['credit', 4700, { 19: 665, 7: 35 }]],
  ])('are those %s', (_name, request, credit) => {
    expect(creditOf(shippedOrder(paid), request)).toEqual([['refund', request?.amount === 0 ? 0 : 0, {}], credit]);
  });

  it('are those of a whole lamp after a part of a book was credited', () => {
    const refunds = [refunded('re_1', 200, [units(2, 1)])];
    const order = shippedOrder({ ...paid, refunds, credits: [credit('re_1', 200, VAT(7, 13))] });

    expect(creditOf(order, { amount: 1190, lines: [units(1, 1)] })[1]).toEqual(['credit', 1190, { 19: 190 }]);
  });

  it('are those of the cancelled units, and then those of the rest when the whole order is cancelled', () => {
    const order = taxed();
    const change = cancelOrder(order, cancellation, all(2));

    expect(booked(order, change)).toEqual([['credit', 2_380, { 19: 380 }]]);
    const rest = new PlacedOrder({ ...order.without(all(2), 2_380).state, credits: [credit('', 2_380, VAT(19, 380))] });
    expect(booked(rest, cancelOrder(rest, cancellation))).toEqual([['cancellation', 2_320, { 19: 285, 7: 35 }]]);
  });

  it('separate the goods from the shipping when a refund cancels the whole order before it ships', () => {
    expect(creditOf(taxed(), { amount: 0, lines: [units(1, 3), units(2, 1)] })).toEqual([
      ['credit', 4_105, { 19: 570, 7: 35 }],
      ['cancellation', 595, { 19: 95 }],
    ]);
  });

  it('are none of a chargeback', () => {
    expect(creditOf(shippedOrder(paid), { amount: 4700, reason: 'chargeback' })).toEqual([['chargeback', 0, {}]]);
  });

  it('count for the taxes of the country to which the order goes at last', () => {
    const refunds = [refunded('re_1', 470)];
    const order = taxed({ ...paid, refunds, credits: [credit('re_1', 470, VAT(19, 67), VAT(7, 4))] });

    const change = patched(order, { shippingAddress: { country: 'FR' } });

    expect(booked(order, change)).toEqual([
      ['lines', 0, { 20: 600, 10: 50, 19: -665, 7: -35 }],
      ['credit', 0, { 20: 68, 10: 6, 19: -67, 7: -4 }],
    ]);
  });
});

/** 19 percent on lamps and 7 on books, on top, shipping for 5.00 below 30.00. */
const chargesOf = ({ lines, subtotal, address }: ChargeableOrder) => {
  const rates = address.country === 'FR' ? [20, 10] : [19, 7];
  const shipping = subtotal.minor < 3_000 ? 500 : 0;
  const taxOn = (price: number, book: boolean) => {
    const rate = rates[Number(book)] as number;
    return [VAT(rate, Math.round((price * rate) / 100))];
  };
  return {
    isTaxIncluded: false,
    shipping,
    shippingTax: taxOn(shipping, false),
    lines: lines.map(({ productId, total }) => ({ tax: taxOn(total.minor, productId === BOOK), discount: 0 })),
  };
};
const asking = (set: readonly LineQuantity[]) => ({ set, add: [], unavailable: [], currency: 'USD' as Currency });

describe('the charges of an order', () => {
  it('follow a change of its lines', () => {
    const change = changeLines(taxed(), asking([units(1, 2)]), chargesOf);

    expect(effectsOf(change).lines).toMatchObject({
      changed: [{ line: 1, quantity: 2, tax: [VAT(19, 380)], discount: 0 }],
      ...{ taxAmount: 510, shippingAmount: 500, totalAmount: 3_510, amount: -1_000 },
    });
  });

  it('become free of shipping with more units', () => {
    const change = changeLines(taxed(), asking([units(1, 9)]), chargesOf);

    expect(effectsOf(change).lines).toMatchObject({
      ...{ shippingAmount: 0, taxAmount: 1_745, totalAmount: 9_500 + 1_745 },
      shippingTax: [VAT(19, 0)],
    });
  });

  it('stay for each unit of a line of which something has shipped, as does the shipping', () => {
    const order = taxed({ shipments: [aShipment({ items: [units(1, 1)] })], fulfillmentStatus: 'PROCESSING' });

    const change = changeLines(order, asking([units(1, 9)]), (asked) => {
      expect(asked.lines.map(({ productId, quantity }) => [productId, quantity])).toEqual([[BOOK, 1]]);
      expect(asked.subtotal.minor).toBe(9_500);
      return chargesOf(asked);
    });

    expect(effectsOf(change).lines).toMatchObject({
      changed: [{ line: 1, quantity: 9, tax: [VAT(19, 1_710)], discount: 0 }],
      ...{ shippingAmount: 500, taxAmount: 1_710 + 35 + 95 },
    });
  });

  it('are the same however often an order is charged again', () => {
    const shipments = [aShipment({ items: [units(1, 1)] })];
    let order = taxed({ shipments, fulfillmentStatus: 'PROCESSING' });
    for (const country of ['FR', 'DE', 'FR', 'DE']) {
      order = order.after(patched(order, { shippingAddress: { country } }));
    }

    expect(order.state).toMatchObject({ totalAmount: 4_700, lines: [{ tax: [VAT(19, 570)] }, { tax: [VAT(7, 35)] }] });
  });

  it('are not requested when a change removes all unshipped units', () => {
    const order = taxed({ shipments: [aShipment({ items: [units(1, 2)] })], fulfillmentStatus: 'PROCESSING' });

    const change = changeLines(order, asking([units(1, 2), units(2, 0)]), () => {
      throw new Error('must not be asked');
    });

    expect(effectsOf(change).lines).toMatchObject({
      changed: [
        { line: 1, quantity: 2, tax: [VAT(19, 380)] },
        { line: 2, quantity: 0 },
      ],
      ...{ shippingAmount: 500, taxAmount: 475, totalAmount: 2_000 + 500 + 475 },
    });
  });

  it('are at most 50 by name and rate', () => {
    const charging = (first: number) => (order: ChargeableOrder) => {
      const lines = order.lines.map((_, line) => {
        return { tax: Array.from({ length: 25 }, (_, n) => VAT(first + 25 * line + n, 1)), discount: 0 };
      });
      return { isTaxIncluded: true, shipping: 0, shippingTax: [VAT(0, 1)], lines };
    };
    const moved = (first: number) => () => patched(taxed(), { shippingAddress: { country: 'FR' } }, charging(first));
    const changed = (first: number) => () => changeLines(taxed(), asking([units(1, 2)]), charging(first));

    for (const charge of [moved, changed]) {
      expect(charge(0)).not.toThrow();
      expect(charge(1)).toThrow(domainErrors.TooManyTaxes);
    }
  });

  it('follow the country to which it goes, and open a paid order again', () => {
    const order = taxed({ status: 'SUCCEEDED', payments: [money('pi', 4_700)] });

    const change = patched(order, { shippingAddress: { country: 'FR' } });

    expect(change.events.map(({ event, details }) => [event, details])).toEqual([
      ['contact_changed', { changed: ['shipping_address.country'] }],
      ['lines_changed', { items: [], totalBefore: 4_700, totalAfter: 4_150 }],
    ]);
    expect(effectsOf(change).lines).toMatchObject({ taxAmount: 650, shippingAmount: 0, totalAmount: 4_150, amount: 0 });
    expect(order.ledgerAfter(change)).toMatchObject({ owed: 4_150, refundDue: 550 });
  });

  it.each([
    ['another VAT id', { billingAddress: { vat_id: 'FR40303265045' } }, 1],
    ['another street', { shippingAddress: { address: '2 Road' } }, 0],
    ['another name', { customer: { name: 'Grace' } }, 0],
  ])('are asked for again by %s or not', (_name, contact, times) => {
    const asked = vi.fn(chargesOf);

    patched(taxed(), contact, asked);

    expect(asked).toHaveBeenCalledTimes(times);
  });

  it('stay those of the other system in an imported order', () => {
    expect(
      effectsOf(patched(taxed({ isPlaced: false }), { shippingAddress: { country: 'FR' } })).lines,
    ).toBeUndefined();
  });
});

function patched(order: PlacedOrder, contact: object, charging = chargesOf) {
  const patch = {
    terms: {},
    metadata: { metadata: {}, lines: [] },
    contact: { customer: {}, shippingAddress: {}, ...contact },
  };
  return patchOrder(order, patch, null, charging);
}
