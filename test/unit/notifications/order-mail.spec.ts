import {
  NOTIFICATION_STAGES,
  type NotificationStage,
  type OrderRecord,
  type ShipmentRecord,
  type StoreProfile,
} from '@app/application';
import { wholeAddress, NO_DETAILS } from '@app/domain';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { orderMail, type OrderMail } from '../../../libs/infrastructure/src/mail/order-mail.js';

/** A refund for nothing in particular. */
const UNNAMED = { reason: 'goodwill' as const, credited: 0, lines: [], restock: false };

function mailOf(stage: NotificationStage, order: OrderRecord, store = aStoreProfile()): OrderMail {
  const mail = orderMail(stage, order, store, 'P-1');
  if (!mail) throw new Error('no mail');
  return mail;
}

const line = anOrderRecord().lines[0] as OrderRecord['lines'][number];
const priced = (currency: string, unitPrice: number) =>
  anOrderRecord({
    currency,
    amount: unitPrice * 2,
    totalAmount: unitPrice * 2,
    lines: [{ ...line, unitPrice, quantity: 2, lineTotal: unitPrice * 2 }],
  });

describe("the customer's confirmation", () => {
  it('goes to the customer, with the store as the reply address', () => {
    const mail = mailOf('notify-customer', anOrderRecord());

    expect(mail).toMatchObject({
      to: { name: 'Ada Lovelace', address: 'ada@example.com' },
      replyTo: { name: 'Acme', address: 'hello@acme.test' },
      sentAs: 'Acme',
      subject: 'Your order WEB-261120-7K3M9Q at Acme',
    });
  });

  it.each(['text', 'html'] as const)('states in %s the items, the prices and the delivery address', (body) => {
    const mail = mailOf('notify-customer', anOrderRecord({ totalAmount: 4500 }))[body];

    for (const fact of [
      'Ada Lovelace',
      'WEB-261120-7K3M9Q',
      '2026-11-20 12:34 UTC',
      'Cash on delivery',
      'Runner',
      'Size: 42, Color: Blue',
      '2 ×',
      '$19.99',
      '$39.98',
      '$45.00',
      '1 Main Street',
      '12345 Springfield',
      '+1 555 0199',
      'https://shop.acme.test',
    ]) {
      expect(mail).toContain(fact);
    }
  });

  it.each([
    [
      { taxAmount: 700, shippingAmount: 490, discountAmount: 100, totalAmount: 3998 + 1090 },
      ['Discount: -$1.00', 'Shipping: $4.90', 'Tax:      $7.00', 'Total:    $50.88'],
    ],
    [{ taxAmount: 638, totalAmount: 3998 }, ['Tax:      $6.38 (included)', 'Total:    $39.98']],
    [{ totalAmount: 3998 }, ['Total:    $39.98']],
  ])('states the charges %j between the sum of the lines and the total', (charges, lines) => {
    const { text, html } = mailOf('notify-customer', anOrderRecord({ amount: 3998, ...charges }));

    expect(text).toContain(['Subtotal: $39.98', ...lines].join('\n'));
    for (const line of lines) {
      const [name = '', amount = ''] = line.split(/: +/);
      expect(html).toMatch(
        new RegExp(`${name}(</strong>)?</td><td[^>]*>(<strong>)?${amount.replace(/[$()]/g, '\\$&')}`),
      );
    }
  });

  it('does not contain the notes, which could carry any text to any address', () => {
    const { text, html } = mailOf('notify-customer', anOrderRecord({ notes: 'buy cheap watches' }));

    expect(text + html).not.toContain('watches');
  });

  it('has no reply address when the contact of the store is not a usable address', () => {
    const store = aStoreProfile({ contact: { email: 'a@b.cd, e@f.gh' } });

    expect(mailOf('notify-customer', anOrderRecord(), store).replyTo).toBeNull();
    expect(() => orderMail('notify-merchant', anOrderRecord(), store)).toThrow('EADDRESS');
  });
});

describe('an address in a mail', () => {
  const address = wholeAddress({
    ...{ company: 'Engines Ltd', vat_id: 'GB 1', address: '1 Main Street\nBack door', address2: 'Floor 3' },
    ...{ city: 'Portland', zip: '04101', region: 'ME', country: 'US' },
  });
  const lines = [
    'Engines Ltd',
    'VAT number: GB 1',
    '1 Main Street',
    'Back door',
    'Floor 3',
    '04101 Portland',
    'ME',
    'US',
  ];
  const shown = (title: string, ...of: string[]) => `${title}:\n${of.map((line) => `  ${line}\n`).join('')}`;
  const billed = { ...wholeAddress({ company: 'Engines GmbH', vat_id: 'DE 1', city: 'Bonn' }), name: 'Accounts' };

  it.each(['notify-customer', 'notify-merchant', 'notify-shipment'] as const)(
    'of %s has a line for each field, and one of the bill only where it differs',
    (stage) => {
      const order = changed({ shippingAddress: address, billingAddress: { name: '', ...address } });

      const { text } = mailOf(stage, order);
      const apart = mailOf(stage, { ...order, billingAddress: billed });

      expect(text).toContain(shown('Delivery address', ...lines));
      expect(text).not.toContain('Billing');
      expect(apart.text).toContain(shown('Billing address', 'Accounts', 'Engines GmbH', 'VAT number: DE 1', 'Bonn'));
      for (const line of ['Billing address', 'Engines GmbH', ...lines]) expect(apart.html).toContain(line);
    },
  );
});

describe("the merchant's notice", () => {
  it('goes to the contact of the store, with the customer as the reply address', () => {
    expect(mailOf('notify-merchant', anOrderRecord())).toMatchObject({
      to: { name: 'Acme', address: 'hello@acme.test' },
      replyTo: { name: 'Ada Lovelace', address: 'ada@example.com' },
      sentAs: null,
      subject: 'New order WEB-261120-7K3M9Q',
    });
  });

  it.each(['text', 'html'] as const)("contains the customer's contact and notes in %s", (body) => {
    const mail = mailOf('notify-merchant', anOrderRecord({ notes: 'Ring twice\nat the back' }))[body];

    for (const fact of ['ada@example.com', '+1 555 0100', 'Ring twice', 'at the back']) expect(mail).toContain(fact);
    expect(mail).not.toMatch(/under review/i);
  });

  it.each([[null], [{}], ['hello@acme.test'], [{ email: null }], [{ email: ['hello@acme.test'] }], [{ email: ' ' }]])(
    'is not sent when the contact is %j',
    (contact) => {
      expect(orderMail('notify-merchant', anOrderRecord(), aStoreProfile({ contact }))).toBeNull();
    },
  );

  it('names the rules that sent the order to review', () => {
    const fraud = { verdict: 'REVIEW', score: 50, reasons: [{ rule: 'amount_over_limit', score: 50 }] } as const;

    const { subject, text, html } = mailOf(
      'notify-merchant',
      anOrderRecord({ fraud, heldReasons: ['amount_over_limit'] }),
    );

    expect(subject).toBe('Order to review WEB-261120-7K3M9Q');
    for (const body of [text, html]) expect(body).toMatch(/under review[^]*amount over limit/);
  });
});

describe.each(['notify-customer', 'notify-merchant'] as const)('%s', (stage) => {
  it.each([
    ['USD', 123_456_789, '$1,234,567.89', '$2,469,135.78'],
    ['JPY', 1999, '¥1,999', '¥3,998'],
    ['KWD', 1250, 'KWD\u00a01.250', 'KWD\u00a02.500'],
    // ISO 4217 has three decimals for IQD, although it is usually written without decimals.
    ['IQD', 1250, 'IQD\u00a01.250', 'IQD\u00a02.500'],
    ['EUR', 5, '€0.05', '€0.10'],
  ])('writes %s %i as %s', (currency, minor, unitPrice, total) => {
    const { text, html } = mailOf(stage, priced(currency, minor));

    for (const body of [text, html]) {
      expect(body).toContain(unitPrice);
      expect(body).toContain(total);
    }
  });

  it('marks a test order as a test', () => {
    const { subject, text, html } = mailOf(stage, anOrderRecord({ isTest: true }));

    expect(subject).toMatch(/^\[TEST\] /);
    for (const body of [text, html]) expect(body).toContain('[TEST]');
  });
});

const STAGES = ['notify-shipment', 'notify-cancellation', 'notify-refund'] as const;
const BODIES = ['text', 'html'] as const;
const TRACKING_URL = 'https://tracking.example.com/1Z999';
const customer = { name: 'Ada', email: 'ada@example.com', phone: '' };
const laces = { ...line, line: 2, name: 'Laces', attributes: {}, quantity: 3 };
const PARCEL: ShipmentRecord = {
  isAddressChanged: false,
  reference: 'P-1',
  status: 'shipped',
  items: [{ line: 1, quantity: 2 }],
  carrier: 'DHL',
  trackingNumber: '1Z999',
  trackingUrl: TRACKING_URL,
  shippedAt: new Date(),
  deliveredAt: null,
};

const changed = (values: Partial<OrderRecord> = {}) =>
  anOrderRecord({
    lines: [{ ...line, shippedQuantity: 2 }],
    shipments: [PARCEL],
    refunds: [{ reference: 'P-1', amount: 500, at: new Date(), ...UNNAMED }],
    ...values,
  });

describe.each(STAGES)('%s', (stage) => {
  it('goes to the customer, with the name and the reply address of the store', () => {
    expect(mailOf(stage, changed())).toMatchObject({
      to: { name: 'Ada Lovelace', address: 'ada@example.com' },
      replyTo: { name: 'Acme', address: 'hello@acme.test' },
      sentAs: 'Acme',
    });
  });

  it.each(BODIES)('shows the branding of the store and the receipt in %s, and no notes', (body) => {
    const mail = mailOf(stage, changed({ notes: 'buy cheap watches' }))[body];

    for (const fact of ['Ada Lovelace', 'WEB-261120-7K3M9Q', '+1 555 0199', 'https://shop.acme.test']) {
      expect(mail).toContain(fact);
    }
    expect(mail).not.toContain('watches');
  });

  it('is not sent when the customer has no e-mail or was erased', () => {
    expect(orderMail(stage, changed({ customer: { ...customer, email: '' } }), aStoreProfile(), 'P-1')).toBeNull();
  });

  it('is not sent when the store has switched it off, not even to an invalid address', () => {
    const notifications = { [stage.replace('notify-', '')]: false };
    const store = aStoreProfile({ ecommerceSettings: { notifications } });
    const order = changed({ customer: { ...customer, email: 'a,b@example.com' } });

    expect(orderMail(stage, order, store, 'P-1')).toBeNull();
    expect(() => orderMail(stage, order, aStoreProfile(), 'P-1')).toThrow('EADDRESS');
  });

  it.each([
    null,
    'off',
    {},
    { notifications: null },
    { notifications: 'off' },
    { notifications: { shipment: true, cancellation: 'false', refund: 0 } },
    { notifications: { shipment: null, cancellation: true, refund: null, customer: false, merchant: false } },
  ])('is sent with the settings %j', (ecommerceSettings) => {
    expect(orderMail(stage, changed(), aStoreProfile({ ecommerceSettings }), 'P-1')).not.toBeNull();
  });
});

describe('the mail about a shipment', () => {
  const partly = (values: Partial<OrderRecord> = {}) =>
    changed({
      lines: [
        { ...line, shippedQuantity: 2 },
        { ...laces, shippedQuantity: 1 },
      ],
      ...values,
    });

  it('shows times in the zone of the store', () => {
    const { text, html } = mailOf('notify-shipment', partly(), aStoreProfile({ timeZone: 'Asia/Tokyo' }));

    expect(text).toContain('Placed:   2026-11-20 21:34 Asia/Tokyo\n');
    expect(html).toContain('Placed: 2026-11-20 21:34 Asia/Tokyo<br>');
  });

  it('reads as a letter', () => {
    expect(mailOf('notify-shipment', partly())).toMatchObject({
      subject: 'Part of your order WEB-261120-7K3M9Q at Acme has shipped',
      text: [
        'Hello Ada Lovelace,',
        '',
        'part of your order at Acme has shipped.',
        '',
        'Receipt:  WEB-261120-7K3M9Q',
        'Placed:   2026-11-20 12:34 UTC',
        'Payment:  Cash on delivery',
        '',
        'In this shipment:',
        '  2 × Runner (Size: 42, Color: Blue)',
        '',
        'Tracking:',
        '  Carrier: DHL',
        '  Tracking number: 1Z999',
        `  ${TRACKING_URL}`,
        '',
        'Not shipped yet:',
        '  2 × Laces',
        '',
        'Delivery address:',
        '  1 Main Street',
        '  12345 Springfield',
        '',
        '-- ',
        'Acme',
        '2 Side Street',
        'Springfield',
        '+1 555 0199',
        'hello@acme.test',
        'https://shop.acme.test',
        '',
      ].join('\n'),
    });
  });

  it('names units that are cancelled, which do not make it a part of the order', () => {
    const lines = [
      { ...line, shippedQuantity: 1, cancelledQuantity: 1 },
      { ...laces, shippedQuantity: 0, cancelledQuantity: laces.quantity },
    ];
    const shipments = [{ ...PARCEL, items: [{ line: 1, quantity: 1 }] }];

    const { subject, text } = mailOf('notify-shipment', partly({ lines, shipments }));

    expect(subject).toBe('Your order WEB-261120-7K3M9Q at Acme has shipped');
    expect(text).toContain('Cancelled:\n  1 × Runner (Size: 42, Color: Blue)\n  3 × Laces\n');
    expect(text).not.toContain('Not shipped yet');
  });

  it('shows the same in HTML, with a link to the parcel', () => {
    const { html } = mailOf('notify-shipment', partly());

    expect(html).toMatch(
      /In this shipment<\/h2>[^]*2 × Runner[^]*Carrier: DHL<br>Tracking number: 1Z999<br><a href="https:\/\/tracking\.example\.com\/1Z999"[^]*Not shipped yet<\/h2>[^]*2 × Laces/,
    );
    expect(html).not.toContain('Subtotal');
  });

  it.each(['javascript:alert(1)', 'tracking', 'https://user:password@tracking.example.com/'])(
    'has no link to %s',
    (trackingUrl) => {
      const { text, html } = mailOf('notify-shipment', changed({ shipments: [{ ...PARCEL, trackingUrl }] }));

      for (const body of [text, html]) {
        expect(body).toContain('Carrier: DHL');
        expect(body).not.toContain(trackingUrl);
      }
    },
  );

  it.each([
    ['void', 'P-1'],
    ['shipped', 'P-2'],
  ] as const)('is not sent when the shipment is %s and the stage is about %s', (status, reference) => {
    const order = changed({ shipments: [{ ...PARCEL, status }] });

    expect(orderMail('notify-shipment', order, aStoreProfile(), reference)).toBeNull();
  });
});

describe('the mail about a cancellation', () => {
  const cancelled = (values: Partial<OrderRecord> = {}) =>
    changed({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED', shipments: [], refunds: [], ...values });
  const paid = { reference: 'PAY-1', amount: 3998, writtenOff: 0, at: new Date(), ...NO_DETAILS, ...UNNAMED };

  it.each(BODIES)('names the order and its lines in %s, and no money when nothing was paid', (body) => {
    const mail = mailOf('notify-cancellation', cancelled());

    expect(mail.subject).toBe('Your order WEB-261120-7K3M9Q at Acme was cancelled');
    expect(mail[body]).toContain('your order at Acme was cancelled.');
    expect(mail[body]).toContain('2 × Runner (Size: 42, Color: Blue)');
    expect(mail[body]).not.toMatch(/paid|refund|\$/);
  });

  it.each([
    ['a recorded payment', { status: 'SUCCEEDED', payments: [paid] }, 'will refund $39.98'],
    ['a payment that an operator set', { status: 'SUCCEEDED' }, 'will refund $39.98'],
    ['a payment after the cancellation', { payments: [paid] }, 'will refund $39.98'],
    [
      'a payment that was refunded in part',
      { status: 'SUCCEEDED', payments: [paid], refunds: [{ ...paid, amount: 998 }] },
      'have refunded $9.98.\n\nWe will refund $30.00',
    ],
    ['a refunded payment', { status: 'REFUNDED', payments: [paid], refunds: [paid] }, 'have refunded $39.98'],
  ])('says of %s that the money is paid back', (_what, values, words) => {
    const { text } = mailOf('notify-cancellation', cancelled(values));

    expect(text).toContain(`We ${words}.`);
    expect(text.match(/refund/g)).toHaveLength(words.match(/refund/g)?.length ?? 0);
  });

  it.each<[string, Partial<OrderRecord>, string]>([
    ['unpaid', {}, 'Please pay $5.00.'],
    ['paid', { status: 'SUCCEEDED', payments: [paid] }, 'We will refund $34.98.'],
  ])('says of an %s order what its fee is, and what is left', (_what, values, words) => {
    const kept = { status: 'PENDING', cancelledAmount: 3498, cancellationFee: 500, ...values };

    const { text } = mailOf('notify-cancellation', cancelled(kept));

    expect(text).toContain(`The cancellation fee is $5.00.\n\n${words}`);
    expect(text.match(/\$/g)).toHaveLength(2);
  });
});

describe('the mail about a refund', () => {
  it('names its amount, and no other', () => {
    const refunds = [
      { reference: 'P-0', amount: 77, at: new Date(), ...UNNAMED },
      { reference: 'P-1', amount: 1250, at: new Date(), ...UNNAMED },
    ];

    const { subject, text, html } = mailOf('notify-refund', changed({ currency: 'KWD', refunds }));

    expect(subject).toBe('Refund for your order WEB-261120-7K3M9Q at Acme');
    for (const body of [text, html]) {
      expect(body).toContain('we have refunded KWD\u00a01.250 for your order at Acme.');
      expect(body).not.toContain('77');
    }
  });
});

const place = wholeAddress({});
const contact = { email: 'hello@acme.test' };

const FIELDS: [
  field: string,
  order: (text: string) => Partial<OrderRecord>,
  store: (text: string) => Partial<StoreProfile>,
][] = [
  ['customer name', (name) => ({ customer: { ...customer, name } }), () => ({})],
  ['customer phone', (phone) => ({ customer: { ...customer, phone } }), () => ({})],
  ['address', (address) => ({ shippingAddress: { ...place, address } }), () => ({})],
  ['second line', (address2) => ({ shippingAddress: { ...place, address2 } }), () => ({})],
  ['company', (company) => ({ shippingAddress: { ...place, company } }), () => ({})],
  ['VAT number', (vat_id) => ({ shippingAddress: { ...place, vat_id } }), () => ({})],
  ['billed name', (name) => ({ billingAddress: { ...place, name } }), () => ({})],
  ['billing address', (address) => ({ billingAddress: { name: '', ...place, address } }), () => ({})],
  ['city', (city) => ({ shippingAddress: { ...place, city } }), () => ({})],
  ['region', (region) => ({ shippingAddress: { ...place, region } }), () => ({})],
  ['zip', (zip) => ({ shippingAddress: { ...place, zip } }), () => ({})],
  ['notes', (notes) => ({ notes }), () => ({})],
  ['receipt number', (receiptNumber) => ({ receiptNumber }), () => ({})],
  ['payment method', (paymentMethod) => ({ paymentMethod }), () => ({})],
  ['product name', (name) => ({ lines: [{ ...line, name }] }), () => ({})],
  ['attribute name', (name) => ({ lines: [{ ...line, attributes: { [name]: '1' } }] }), () => ({})],
  ['attribute value', (value) => ({ lines: [{ ...line, attributes: { Size: value } }] }), () => ({})],
  ['fraud rule', (rule) => ({ fraud: { verdict: 'REVIEW', score: 50, reasons: [{ rule, score: 50 }] } }), () => ({})],
  ['carrier', (carrier) => ({ shipments: [{ ...PARCEL, carrier }] }), () => ({})],
  ['tracking number', (trackingNumber) => ({ shipments: [{ ...PARCEL, trackingNumber }] }), () => ({})],
  ['tracking URL', (trackingUrl) => ({ shipments: [{ ...PARCEL, trackingUrl }] }), () => ({})],
  [
    'tracking URL, as a URL',
    (text) => ({ shipments: [{ ...PARCEL, trackingUrl: `https://shop.test/${text}` }] }),
    () => ({}),
  ],
  ['store name', () => ({}), (name) => ({ name })],
  ['logo', () => ({}), (logoUrl) => ({ logoUrl })],
  ['logo, as a URL', () => ({}), (text) => ({ logoUrl: `https://cdn.test/${text}` })],
  ['colour', () => ({}), (text) => ({ primaryColor: `#112233${text}` })],
  ['custom domain', () => ({}), (text) => ({ customDomain: `shop.test/${text}` })],
  ['contact phone', () => ({}), (phone) => ({ contact: { ...contact, phone } })],
  ['contact address', () => ({}), (address) => ({ contact: { ...contact, address } })],
];

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</td></table><iframe src="https://evil.test">',
  '";background:url(https://evil.test/x);x:"',
  'javascript:alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
];

const TAG = /<\/?([a-z0-9]+)((?:\s+[a-z-]+="[^"<>]*")*)\s*>/g;
const TAGS = 'html,head,meta,title,body,div,h1,h2,p,br,img,strong,span,table,tr,td,a'.split(',');
const ATTRIBUTES =
  'lang,charset,name,content,style,src,alt,height,role,width,cellspacing,cellpadding,colspan,href'.split(',');

function foreignParts(html: string): string[] {
  const foreign: string[] = [];
  const rest = html.replace(/<!doctype html>/, '').replace(TAG, (_tag, name: string, attributes: string) => {
    if (!TAGS.includes(name)) foreign.push(name);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/([a-z-]+)="([^"]*)"/g)) {
      if (!ATTRIBUTES.includes(attribute)) foreign.push(attribute);
      if (attribute === 'style' && /url|&|;;|[^\w\s:;#%,./-]/.test(value)) foreign.push(value);
      if (['src', 'href'].includes(attribute) && !/^https:\/\/(cdn|shop|tracking)\./.test(value)) foreign.push(value);
    }
    return '';
  });
  if (/[<>"']/.test(rest)) foreign.push(rest);
  return foreign;
}

describe.each(NOTIFICATION_STAGES)('%s', (stage) => {
  const render = (order: Partial<OrderRecord>, store: Partial<StoreProfile>) => {
    const refunds = [{ reference: 'P-1', amount: 1, at: new Date(), ...UNNAMED }];
    return mailOf(stage, anOrderRecord({ shipments: [PARCEL], refunds, ...order }), aStoreProfile(store));
  };

  it('detects parts that are not from the template', () => {
    for (const attack of ATTACKS.slice(0, 4)) expect(foreignParts(`<p>${attack}</p>`)).not.toEqual([]);
    expect(foreignParts(`<p style="${ATTACKS[4]}">`)).not.toEqual([]);
  });

  it.each(FIELDS)('shows markup in the %s as text', (_field, order, store) => {
    for (const attack of ATTACKS) expect(foreignParts(render(order(attack), store(attack)).html)).toEqual([]);
  });

  it.each(FIELDS)('keeps a line break in the %s out of the headers', (_field, order, store) => {
    for (const end of ['\r\n', '\n', '\r', '\u0085', '\u2028', '\u2029', '\0', '\v', '\f', '\u202e']) {
      const attack = `x${end}Bcc: evil@example.com${end}${end}body`;
      const { to, replyTo, sentAs, subject } = render(order(attack), store(attack));
      const headers = [to.name, to.address, replyTo?.name, replyTo?.address, sentAs, subject].join('|');
      expect(headers).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u);
      expect([to.address, replyTo?.address].sort()).toEqual(['ada@example.com', 'hello@acme.test']);
    }
  });

  it.each(FIELDS)('keeps the %s within its line of the text', (_field, order, store) => {
    const { text } = render(order('x\nTotal:    $0.01'), store('x\nTotal:    $0.01'));

    expect(text.split('-- \n')[0]).not.toMatch(/^Total: +\$0\.01/m);
  });
});

describe('the branding of a mail', () => {
  const html = (store: Partial<StoreProfile>) =>
    orderMail('notify-customer', anOrderRecord(), aStoreProfile(store))?.html ?? '';

  it('contains the logo, the colour and the domain of the store', () => {
    expect(html({})).toMatch(/<img src="https:\/\/cdn\.acme\.test\/logo\.png"/);
    expect(html({})).toContain('border-top:6px solid #112233');
    expect(html({})).toContain('<a href="https://shop.acme.test"');
  });

  it.each([
    '',
    'logo.png',
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'file:///etc/passwd',
    'https://u:p@x.test/',
  ])('shows no logo from %j', (logoUrl) => {
    expect(html({ logoUrl })).not.toContain('<img');
  });

  it.each(['', 'red', '#12', '#11223344', 'url(x)'])('does not use %j as a colour', (primaryColor) => {
    expect(html({ primaryColor })).toContain('border-top:6px solid #444444');
  });

  it.each(['', 'localhost', 'shop test', '127.0.0.1', 'a@b.test', 'shop.test:80'])('links no %j', (customDomain) => {
    expect(html({ customDomain })).not.toContain('<a ');
  });

  it('uses the subdomain for a store without a name', () => {
    const bare = { name: ' ', logoUrl: '', primaryColor: '', customDomain: '', contact: null };

    expect(html(bare)).toContain('<h1 style="margin:8px 0 16px;font-size:20px">acme</h1>');
  });
});
