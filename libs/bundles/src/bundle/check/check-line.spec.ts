import { checkLine } from './check-line.js';

const PRODUCT = { kind: 'product', store: 'acme', slug: 'runner', name: 'Runner', price: '79.90' };
const CUSTOMER = { kind: 'customer', store: 'acme', name: 'Ada' };
const STORE = { kind: 'store', subdomain: 'acme', name: 'Acme', currency: 'USD' };
const RATE = { country: 'DE', name: 'VAT', rate: 19 };
const ORDER = {
  kind: 'order',
  store: 'acme',
  receipt_number: 'POS-1',
  source: 'POS',
  status: 'SUCCEEDED',
  fulfillment_status: 'DELIVERED',
  payment_method: 'CASH',
  currency: 'USD',
  amount: 100,
  total_amount: 100,
  created_at: '2026-01-02T03:04:05Z',
};
const HELD = { stage: 'notify-customer', state: 'held', attempts: 0, at: '2026-01-02T03:04:05.000Z' };
const ITEM = { name: 'Runner', unit_price: 100, quantity: 1 };
const SHIPMENT = { reference: 'S', status: 'shipped', items: [{ line: 1, quantity: 1 }] };
const MONEY = { reference: 'M', amount: 100, at: ORDER.created_at };
const MOVED = {
  at: ORDER.created_at,
  actor: { type: 'key' },
  event: 'status_changed',
  field: 'status',
  from: 'PENDING',
  to: 'LOST',
};

const taxes = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ name: 'VAT', rate: from + n, amount: 1 }));
const bookingOf = (count: number, from = 0) => {
  const tax_lines = taxes(count, from).map((tax) => ({ ...tax, included: false }));
  return { at: ORDER.created_at, kind: 'lines', tax_lines };
};

/** Checks a copy, because the check changes texts in place. */
const parse = (line: object) => checkLine(structuredClone(line));

describe('checkLine', () => {
  it('returns exactly the given fields', () => {
    expect(parse(PRODUCT)).toEqual(PRODUCT);
  });

  it('reads codes of currencies and countries in any letter case', () => {
    const rates = [{ ...RATE, country: 'de' }];

    expect(parse({ ...STORE, currency: 'usd', charge_settings: { rates } })).toMatchObject({
      currency: 'USD',
      charge_settings: { rates: [{ country: 'DE' }] },
    });
  });

  it('reads timestamps as UTC in milliseconds', () => {
    expect(parse({ ...ORDER, created_at: '2026-01-02T03:04:05+02:00' })).toMatchObject({
      created_at: '2026-01-02T01:04:05.000Z',
    });
  });

  it('reads the order limits per contact, and null as no limit', () => {
    const fraud_settings = {
      review_orders_per_email: 500,
      review_orders_per_phone: null,
      review_orders_per_address: 1,
    };

    expect(parse({ ...STORE, fraud_settings })).toMatchObject({ fraud_settings });
  });

  it('accepts switches of mails beside settings of the storefront', () => {
    const ecommerce_settings = {
      template_id: 'modern',
      notifications: { shipment: false, refund: true, news: 'weekly' },
    };

    expect(parse({ ...STORE, ecommerce_settings })).toMatchObject({ ecommerce_settings });
  });

  it.each([
    ['XK', 'XK'],
    ['', ''],
    [null, ''],
  ])('reads the country %j as %j', (country, read) => {
    expect(parse({ ...ORDER, shipping_address: { country } })).toMatchObject({ shipping_address: { country: read } });
  });

  it('removes blanks around names, and reports each removal', () => {
    const trimmed: string[] = [];
    const variants = [{ sku: ' A ', name: 'A', price: '1', attributes: { ' Size ': ' 42 ', Color: 'Blue' } }];

    const line = checkLine({ ...PRODUCT, name: '\tRunner ', variants }, (path) => trimmed.push(path));

    expect(line).toMatchObject({
      name: 'Runner',
      variants: [{ sku: 'A', attributes: { Size: ' 42 ', Color: 'Blue' } }],
    });
    expect(trimmed).toEqual(['product.name', 'product.variants[0].sku', 'product.variants[0].attributes']);
  });

  it('removes blanks around the SKUs of products and order lines and the e-mail of an order', () => {
    const trimmed: string[] = [];
    const onTrimmed = (path: string) => trimmed.push(path);
    const order = { ...ORDER, customer_email: '\tada@example.com ', line_items: [{ ...ITEM, sku: 'A ' }] };

    expect(checkLine({ ...PRODUCT, sku: ' A\u00a0' }, onTrimmed)).toMatchObject({ sku: 'A' });
    expect(checkLine(order, onTrimmed)).toMatchObject({
      customer_email: 'ada@example.com',
      line_items: [{ sku: 'A' }],
    });
    expect(trimmed).toEqual(['product.sku', 'order.customer_email', 'order.line_items[0].sku']);
  });

  it.each(['a@x..com', 'none given'])('keeps the e-mail %s of an order that is history', (customer_email) => {
    const pipeline = [{ ...HELD, state: 'pending' }];

    expect(parse({ ...ORDER, customer_email, pipeline })).toMatchObject({ customer_email });
  });

  it.each(['', null])('reads %j as no e-mail of a customer and of a store', (email) => {
    expect(parse({ ...CUSTOMER, email })).toMatchObject({ email: '' });
    expect(parse({ ...STORE, contact: { email } })).toMatchObject({ contact: { email: '' } });
  });

  it.each(['', ' ', null])('reads %j as no SKU and no e-mail', (blank) => {
    expect(parse({ ...PRODUCT, sku: blank })).toMatchObject({ sku: '' });
    expect(parse({ ...ORDER, customer_email: blank })).toMatchObject({ customer_email: '' });
  });

  it('keeps an attribute named __proto__ when it trims the names', () => {
    const attributes = JSON.parse('{" Size ":"42"," __proto__ ":"a","toString":"b"}') as object;
    const own = JSON.parse('{"__proto__":"a","b ":"c"}') as object;

    const line = parse({
      ...PRODUCT,
      variants: [attributes, own].map((each, n) => ({ sku: `${n}`, name: 'A', attributes: each })),
    });

    const names = line.kind === 'product' && line.variants?.map((each) => Object.entries(each.attributes ?? {}));
    expect(names).toEqual([
      [
        ['Size', '42'],
        ['__proto__', 'a'],
        ['toString', 'b'],
      ],
      [
        ['__proto__', 'a'],
        ['b', 'c'],
      ],
    ]);
  });

  it.each([
    ['fraud-analysis', ['done']],
    ['inventory', ['done']],
    ['notify-customer', ['pending', 'held', 'done', 'dead']],
    ['notify-merchant', ['pending', 'done', 'dead']],
  ])('accepts for the stage %s the states that it can have: %j', (stage, states) => {
    for (const state of ['pending', 'held', 'done', 'dead']) {
      const pipeline = [{ stage, state, attempts: 1, at: '2026-01-02T03:04:05.000Z' }];
      const read = () => parse({ ...ORDER, pipeline });
      if (states.includes(state)) expect(read()).toMatchObject({ pipeline });
      else expect(read).toThrow(`order.pipeline[0].state must be ${states.join(' or ')} for ${stage}`);
    }
  });

  it('names unknown fields of a line beside its first other fault, at every depth, each once', () => {
    const variants = [{ sku: 'A', name: 'A', prize: '1' }];
    const { slug: _slug, ...unnamed } = PRODUCT;

    expect(() => parse({ ...unnamed, prise: '1', variants })).toThrow(
      /^product\.slug is required; product has no field "prise"; product\.variants\[0\] has no field "prize"$/,
    );
    expect(() => parse({ ...PRODUCT, slug: 7, variants })).toThrow(
      /^product\.slug must be text; product\.variants\[0\] has no field "prize"$/,
    );
    expect(() => parse({ ...PRODUCT, prise: '1' })).toThrow(/^product has no field "prise"$/);
  });

  it('measures the length of texts in characters, not in UTF-16 units', () => {
    expect(parse({ ...PRODUCT, sku: '😀'.repeat(200) })).toMatchObject({ sku: '😀'.repeat(200) });
  });

  it('reads null in a text as no value', () => {
    expect(parse({ ...CUSTOMER, phone: null, email: null })).toMatchObject({ phone: '', email: '' });
  });

  it.each<[string, object, string]>([
    ['a blank name', { ...PRODUCT, name: ' ' }, 'product.name must not be empty'],
    [
      'the same SKU but for blanks',
      { ...PRODUCT, variants: ['A', 'A '].map((sku) => ({ sku, name: 'A' })) },
      'product.variants[1].sku "A" is listed twice',
    ],
    ['a list in the place of an object', { ...STORE, contact: [] }, 'store.contact must be an object'],
    ['null in the place of a list', { ...PRODUCT, categories: null }, 'product.categories must be a list'],
    ['text in the place of a flag', { ...PRODUCT, featured: 'yes' }, 'product.featured must be true or false'],
    ['too long a text', { ...PRODUCT, sku: 'x'.repeat(201) }, 'product.sku must have at most 200 characters'],
    [
      'no such country',
      { ...ORDER, shipping_address: { country: 'ZZ' } },
      'order.shipping_address.country must be a country code of two letters, such as DE (ISO 3166-1), or empty',
    ],
    ...['Mars/Olympus', 'CET', '+02:00', ''].map((time_zone): [string, object, string] => [
      `the time zone ${time_zone}`,
      { ...STORE, time_zone },
      'store.time_zone must be UTC or an IANA time zone such as "Europe/Berlin"',
    ]),
    ['no such currency', { ...STORE, currency: 'ZZZ' }, 'store.currency must be a currency code of three letters'],
    [
      'two methods with one id',
      { ...STORE, payment_settings: { methods: [1, 2].map(() => ({ methodId: 'x', enabled: true })) } },
      'store.payment_settings.methods[1].methodId "x" is listed twice',
    ],
    [
      'an endless name of an attribute',
      { ...PRODUCT, variants: [{ sku: 'A', name: 'A', attributes: { ['x'.repeat(201)]: '' } }] },
      'product.variants[0].attributes must have names of at most 200 characters',
    ],
    ['an unknown kind', { kind: 'shop' }, 'kind must be one of store, warehouse, bin, brand, category, product,'],
    ['a kind that every object has', { kind: 'constructor' }, 'kind must be one of'],
    ['a missing field', { kind: 'bin', store: 'acme', warehouse: 'M' }, 'bin.code is required'],
    ['a price as a number', { ...PRODUCT, price: 79.9 }, 'product.price must be text'],
    ['a price in words', { ...PRODUCT, price: '79,90' }, 'product.price must be a decimal of at least 0'],
    ['a negative price', { ...PRODUCT, price: '-1' }, 'product.price must be a decimal of at least 0'],
    [
      'a price inside a variant',
      { ...PRODUCT, variants: [{ sku: 'A', name: 'A', price: '1e3' }] },
      'product.variants[0].price must be a decimal of at least 0',
    ],
    [
      'a limit of orders beyond what is counted',
      { ...STORE, fraud_settings: { review_orders_per_email: 1001 } },
      'store.fraud_settings.review_orders_per_email must be',
    ],
    ...Object.entries({
      'rates[0].country must be a country code of two letters': { rates: [{ ...RATE, country: 'Germany' }] },
      'rates[0].name must not be empty': { rates: [{ ...RATE, name: ' ' }] },
      'rates[0].rate must be a percentage from 0 to 1000 with at most 4 decimals': {
        rates: [{ ...RATE, rate: 19.00001 }],
      },
      'rates[0].rate must be a number from 0 to 1000': { rates: [{ ...RATE, rate: '19' }] },
      'rates[1].country "DE" is listed twice': { rates: [RATE, { ...RATE, country: 'de' }] },
      'shipping.amount must be an integer from 0': { shipping: { amount: -1 } },
    }).map(([problem, charge_settings]): [string, object, string] => {
      return [`charges of which ${problem}`, { ...STORE, charge_settings }, `store.charge_settings.${problem}`];
    }),
    [
      'a limit of no orders',
      { ...STORE, fraud_settings: { review_orders_per_phone: 0 } },
      'store.fraud_settings.review_orders_per_phone must be',
    ],
    [
      'a switch of a mail that is no flag',
      { ...STORE, ecommerce_settings: { notifications: { shipment: 'off' } } },
      'store.ecommerce_settings.notifications.shipment must be',
    ],
    ['an unknown status', { ...PRODUCT, status: 'SOLD' }, 'product.status must be one of ACTIVE, DRAFT, ARCHIVED'],
    ['NUL', { ...PRODUCT, name: 'a\0b' }, 'product.name must not contain NUL or lone surrogates'],
    ['half a surrogate pair', { ...PRODUCT, name: '\ud800' }, 'product.name must not contain NUL'],
    ['NUL deep in settings', { ...STORE, theme: { a: [{ b: '\0' }] } }, 'store.theme must not contain NUL'],
    ['no object', [], 'the line must be an object'],
    ['a subdomain with capitals', { ...STORE, subdomain: 'Acme' }, 'store.subdomain must be 1 to 63 lower-case'],
    [
      'a secret under a name of its own',
      { ...STORE, payment_settings: { methods: [{ methodId: 'x', enabled: true, secret: 's' }] } },
      'store.payment_settings.methods[0] has no field "secret"',
    ],
    [
      'an unusable e-mail of a customer',
      { ...CUSTOMER, email: 'a@x..com' },
      'customer.email must be one e-mail address (name@domain) of at most 254 bytes, or empty',
    ],
    ['an unusable contact', { ...STORE, contact: { email: 'a@x..com' } }, 'store.contact.email must be one e-mail'],
    [
      'an unusable address of an order whose confirmation is held',
      { ...ORDER, customer_email: 'a@x..com', pipeline: [HELD] },
      'order.customer_email must be a deliverable address because the confirmation is held',
    ],
    ['an id that is no UUID', { ...CUSTOMER, id: '7' }, 'customer.id must be a UUID'],
    ['points beyond int4', { ...CUSTOMER, loyalty_points: 2 ** 31 }, 'customer.loyalty_points must be an integer from'],
    [
      'a day that does not exist',
      { ...ORDER, created_at: '2026-02-30T00:00:00Z' },
      'order.created_at must be a time with a zone',
    ],
    [
      'a time without its zone',
      { ...ORDER, created_at: '2026-02-03T00:00:00' },
      'order.created_at must be a time with a zone',
    ],
    [
      'a receipt like a UUID',
      { ...ORDER, receipt_number: crypto.randomUUID() },
      'order.receipt_number must be 1 to 64',
    ],
    ['cents with a fraction', { ...ORDER, amount: 1.5 }, 'order.amount must be an integer from'],
    [
      'less than no units',
      { ...ORDER, line_items: [{ ...ITEM, quantity: -1 }] },
      'order.line_items[0].quantity must be an integer',
    ],
    [
      'a line total beyond exact integers',
      { ...ORDER, line_items: [{ ...ITEM, unit_price: 2 ** 52, quantity: 4 }] },
      'order.line_items[0] has a total (unit_price × quantity) that is too large',
    ],
    ...(
      [
        [{ source: 'WEBSITE' }, '.source of an order that takes stock must be POS'],
        ...['PENDING', 'RETURNED'].map((fulfillment_status) => [
          { fulfillment_status },
          '.fulfillment_status of an order that takes stock must be SHIPPED or DELIVERED',
        ]),
        [
          { line_items: [ITEM], shipments: [{ reference: 'S', status: 'picking', items: [{ line: 1, quantity: 1 }] }] },
          '.shipments of an order that takes stock must be empty',
        ],
        ...[{ unit_price: -1 }, { cancelled_quantity: 1 }, { returned_quantity: 1 }].map((more) => [
          {
            line_items: [
              { ...ITEM, unit_price: -1 },
              { ...ITEM, product: 'runner', ...more },
            ],
          },
          '.line_items[1] of an order that takes stock must have no negative unit_price, no cancelled_quantity and no returned',
        ]),
      ] as [object, string][]
    ).map(([more, problem]): [string, object, string] => [
      `a sale that cannot take its stock: ${problem}`,
      { ...ORDER, takes_stock: true, ...more },
      `order${problem}`,
    ]),
    [
      'an adjustment that is not the difference of its amounts',
      { ...ORDER, amount: 1000, tax_amount: 190, discount_amount: 40, total_amount: 1200, adjustment_amount: 0 },
      'order.adjustment_amount must be 50, so that the amounts add up to total_amount',
    ],
    [
      'more than 50 taxes',
      {
        ...ORDER,
        ...{
          line_items: [0, 10, 20, 30, 40].map((from) => ({ ...ITEM, tax: taxes(10, from) })),
          shipping_tax: taxes(1, 50),
        },
      },
      'order.line_items must have at most 50 taxes of different names or rates, including those of shipping_tax',
    ],
    [
      'a booking with more than 100 taxes',
      { ...ORDER, bookings: [bookingOf(101)] },
      'order.bookings[0].tax_lines must have at most 100',
    ],
    [
      'a placing with more than 50 taxes',
      { ...ORDER, bookings: [bookingOf(50), bookingOf(1, 50)] },
      'order.bookings must result in at most 50 taxes of different names or rates for the order as placed',
    ],
    [
      'credits of more than 50 taxes',
      { ...ORDER, bookings: [0, 50].map((from) => ({ ...bookingOf(50, from), kind: 'credit' })) },
      'order.bookings must credit at most 50 taxes of different names or rates',
    ],
    [
      'bookings that change its total more than 1,000 times',
      {
        ...ORDER,
        bookings: Array.from({ length: 1_001 }, () => ({ at: ORDER.created_at, kind: 'lines', charged: 1 })),
      },
      'order.bookings must change the total at most 1000 times',
    ],
    [
      'a history with more than 1,000 changes of its lines',
      {
        ...ORDER,
        history: Array.from({ length: 1_001 }, () => ({
          at: ORDER.created_at,
          actor: { type: 'key' },
          event: 'lines_changed',
        })),
      },
      'order.history must change the total at most 1000 times',
    ],
    [
      'amounts whose sum is not exact',
      { ...ORDER, amount: -9007199254740990, tax_amount: 9007199254740991, total_amount: 9007199254740991 },
      'order has amounts that are too large',
    ],
    ...[' PO', 'P\ufe0fO'].map((external_reference): [string, object, string] => [
      `the external reference ${external_reference}`,
      { ...ORDER, external_reference },
      'order.external_reference must be 1 to 64 visible characters, with plain spaces only between them, or empty',
    ]),
    ...['payments', 'refunds'].map((records): [string, object, string] => [
      `${records} whose sum is too large`,
      {
        ...ORDER,
        [records]: ['a', 'b'].map((reference) => ({ reference, amount: 2 ** 52, at: ORDER.created_at })),
      },
      'order has amounts that are too large',
    ]),
    ...(
      [
        [
          { shipments: [{ ...SHIPMENT, items: [{ line: 2, quantity: 1 }] }] },
          '.items[0].line is not a line of the order',
        ],
        [
          { shipments: [SHIPMENT, { ...SHIPMENT, reference: 'T' }] },
          'shipments[1].items[0].quantity must be at most 0',
        ],
        [
          { line_items: [{ ...ITEM, cancelled_quantity: 1 }], shipments: [SHIPMENT] },
          'shipments[0].items[0].quantity must be at most 0',
        ],
        [
          { line_items: [{ ...ITEM, cancelled_quantity: 2 }] },
          'order.line_items[0].cancelled_quantity must not exceed',
        ],
        [{ shipments: [SHIPMENT, SHIPMENT] }, 'order.shipments[1].reference "S" is listed twice'],
        [{ shipments: [{ ...SHIPMENT, status: 'lost' }] }, 'order.shipments[0].status must be one of picking'],
        [{ payments: [{ ...MONEY, amount: 1.5 }] }, 'order.payments[0].amount must be an integer'],
        [{ refunds: [{ ...MONEY, lines: [{ line: 2, quantity: 1 }] }] }, '.lines[0].line is not a line of the order'],
        [{ refunds: [{ ...MONEY, amount: -1 }] }, 'order.refunds[0].amount must be an integer'],
        [{ history: [MOVED] }, 'order.history[0].to must be one of PENDING'],
        [{ pipeline: [HELD, HELD] }, 'order.pipeline[1].stage "notify-customer" is listed twice'],
      ] as const
    ).map(([life, message]): [string, object, string] => [
      `a life that no order can have: ${message}`,
      { ...ORDER, line_items: [ITEM], ...life },
      message,
    ]),
    [
      'a variant of nothing',
      { ...ORDER, line_items: [{ ...ITEM, variant: 'A' }] },
      'order.line_items[0].variant needs a product',
    ],
    [
      'a bin without its warehouse',
      { kind: 'stock', store: 'acme', bin: 'A-1', product: 'runner', quantity: 1 },
      'stock.bin must be WAREHOUSE/BIN',
    ],
  ])('refuses %s', (_, line, message) => {
    expect(() => parse(line)).toThrow(message);
  });

  it('accepts a history with the longest note', () => {
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key-${n}`, '😀'.repeat(500)]));
    const noted = { at: ORDER.created_at, actor: { type: 'key' }, event: 'noted', details: { reason: 'x', metadata } };

    expect(() => parse({ ...ORDER, history: [noted] })).not.toThrow();
  });

  it.each([
    ['images', (length: number) => ({ url: 'x', alt: 'é'.repeat(length) })],
    ['specifications', (length: number) => ({ name: 'x', value: 'é'.repeat(length) })],
  ])('accepts %s of 256 kB, and refuses more', (field, entry) => {
    const lists = (length: number) => ({ ...PRODUCT, [field]: Array.from({ length: 250 }, () => entry(length)) });

    expect(parse(lists(500))).toMatchObject({ slug: 'runner' });
    expect(() => parse(lists(520))).toThrow(`product.${field} must have at most 256 kB of JSON`);
  });

  it('accepts settings of 2,000 members and 100 tags, and refuses more', () => {
    const settings = (members: number) => Object.fromEntries(Array.from({ length: members }, (_, n) => [`m${n}`, n]));
    const tags = (count: number, length: number) => Array.from({ length: count }, () => 'x'.repeat(length));

    expect(parse({ ...STORE, theme: settings(2_000) })).toMatchObject({ subdomain: 'acme' });
    expect(() => parse({ ...STORE, theme: { a: [settings(1_999)] } })).toThrow(
      'store.theme must have at most 2,000 members, at all depths',
    );
    expect(() => parse({ ...STORE, ecommerce_settings: { a: 'é'.repeat(32 * 1024) } })).toThrow(
      'store.ecommerce_settings must be at most 64 kB of JSON',
    );
    expect(parse({ ...CUSTOMER, tags: tags(100, 100) })).toMatchObject({ tags: tags(100, 100) });
    expect(() => parse({ ...CUSTOMER, tags: tags(101, 1) })).toThrow('customer.tags must have at most 100 items');
    expect(() => parse({ ...CUSTOMER, tags: tags(1, 101) })).toThrow(
      'customer.tags[0] must have at most 100 characters',
    );
  });

  it.each([1e308, 1e21, -1e21, 1e-7])('refuses the number %d, whose digits the database writes out', (number) => {
    const noted = { at: ORDER.created_at, actor: { type: 'key' }, event: 'noted', details: { deep: [number] } };
    const problem = 'must contain only numbers that are 0 or have an absolute value from 0.000001 to below 1e21';

    expect(() => parse({ ...ORDER, history: [noted] })).toThrow(`order.history[0].details ${problem}`);
    expect(() => parse({ ...STORE, theme: { number } })).toThrow(`store.theme ${problem}`);
  });

  it('refuses more than 1,000 blocked contacts', () => {
    const blocked = (count: number) => Array.from({ length: count }, (_, n) => `${n}@example.com`);
    const settings = (blocked_emails: string[]) => ({ ...STORE, fraud_settings: { blocked_emails } });

    expect(() => parse(settings(blocked(1_000)))).not.toThrow();
    expect(() => parse(settings(blocked(1_001)))).toThrow(
      'store.fraud_settings.blocked_emails must have at most 1000 items',
    );
  });

  it('refuses settings nested too deeply', () => {
    const theme = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40)) as object;

    expect(() => parse({ ...STORE, theme })).toThrow('store.theme must not be nested deeper than 32 levels');
  });

  const many = (count: number, of: (n: number) => unknown) => Array.from({ length: count }, (_, n) => of(n));
  const EVENT = { at: ORDER.created_at, actor: { type: 'key' }, event: 'noted' };
  const picked = (n: number) => ({ ...SHIPMENT, reference: `S-${n}`, status: 'void' });
  const stageOf = (n: number) => ({ ...HELD, stage: 'notify-shipment', reference: `${n}`, state: 'done' });

  it.each<[string, number, (count: number) => object]>([
    ['order.line_items', 1_000, (count) => ({ ...ORDER, line_items: many(count, () => ITEM) })],
    ['order.payments', 100, (count) => ({ ...ORDER, payments: many(count, (n) => ({ ...MONEY, reference: `${n}` })) })],
    ['order.refunds', 100, (count) => ({ ...ORDER, refunds: many(count, (n) => ({ ...MONEY, reference: `${n}` })) })],
    ['order.shipments', 200, (count) => ({ ...ORDER, line_items: [ITEM], shipments: many(count, picked) })],
    ['order.history', 20_000, (count) => ({ ...ORDER, history: many(count, () => EVENT) })],
    ['order.pipeline', 500, (count) => ({ ...ORDER, pipeline: many(count, stageOf) })],
    ['order.held_reasons', 100, (count) => ({ ...ORDER, held_reasons: many(count, () => 'manual') })],
    [
      'order.fraud.reasons',
      100,
      (count) => ({
        ...ORDER,
        fraud: { verdict: 'REVIEW', score: 1, reasons: many(count, () => ({ rule: 'a', score: 1 })) },
      }),
    ],
    ['product.categories', 100, (count) => ({ ...PRODUCT, categories: many(count, (n) => `c-${n}`) })],
    [
      'product.variants',
      1_000,
      (count) => ({ ...PRODUCT, variants: many(count, (n) => ({ sku: `${n}`, name: 'A' })) }),
    ],
  ])('accepts %s with %d items, and refuses more', (path, most, lineOf) => {
    expect(() => parse(lineOf(most))).not.toThrow();
    expect(() => parse(lineOf(most + 1))).toThrow(`${path} must have at most ${most} items`);
  });

  it('accepts 50 taxes of an order, and changes of its lines from 50 others to 50 others', () => {
    const line_items = [0, 10, 20, 30, 40].map((from) => ({ ...ITEM, tax: taxes(10, from) }));
    const taken = (from: number) => taxes(50, from).map((tax) => ({ ...tax, amount: -1, included: false }));
    const change = (from: number, to: number) => {
      const { tax_lines, ...booking } = bookingOf(50, to);
      return { ...booking, tax_lines: [...tax_lines, ...taken(from)] };
    };
    const bookings = [change(100, 200), change(200, 0)];

    expect(parse({ ...ORDER, line_items, bookings })).toMatchObject({ line_items, bookings: [{ kind: 'lines' }, {}] });
  });

  it('accepts 2,000 items in all shipments of an order and 10,000 lines in all its refunds, and refuses more', () => {
    const line_items = many(100, () => ({ ...ITEM, unit_price: 0 }));
    const lines = many(100, (n) => ({ line: n + 1, quantity: 1 }));
    const shipments = (count: number) => [
      ...many(20, (n) => ({ ...picked(n), items: lines })),
      ...many(count - 2_000, () => picked(20)),
    ];
    const refunds = (count: number) => [
      ...many(99, (n) => ({ ...MONEY, reference: `${n}`, lines })),
      { ...MONEY, lines: many(count - 9_900, (n) => ({ line: n + 1, quantity: 1 })) },
    ];

    expect(() => parse({ ...ORDER, line_items, shipments: shipments(2_000) })).not.toThrow();
    expect(() => parse({ ...ORDER, line_items, shipments: shipments(2_001) })).toThrow(
      'order.shipments must have at most 2000 items in all',
    );
    expect(() => parse({ ...ORDER, line_items, refunds: refunds(10_000) })).not.toThrow();
    expect(() => parse({ ...ORDER, line_items, refunds: refunds(10_001) })).toThrow(
      'order.refunds must have at most 10000 lines in all',
    );
  });

  it('accepts attributes of 4 kB of a variant and of an order line, and refuses more', () => {
    // The size includes the quotes, colons, commas and braces.
    const attributes = (bytes: number) => ({
      ...Object.fromEntries(many(4, (n) => [`${n}`, '\u754c'.repeat(333)]) as [string, string][]),
      last: 'x'.repeat(bytes - 4_035),
    });
    const variant = (bytes: number) => ({
      ...PRODUCT,
      variants: [{ sku: 'A', name: 'A', attributes: attributes(bytes) }],
    });
    const line = (bytes: number) => ({ ...ORDER, line_items: [{ ...ITEM, attributes: attributes(bytes) }] });
    expect(Buffer.byteLength(JSON.stringify(attributes(4_096)))).toBe(4_096);

    expect(() => [parse(variant(4_096)), parse(line(4_096))]).not.toThrow();
    expect(() => parse(variant(4_097))).toThrow('product.variants[0].attributes must be at most 4 kB of JSON');
    expect(() => parse(line(4_097))).toThrow('order.line_items[0].attributes must be at most 4 kB of JSON');
  });
});
