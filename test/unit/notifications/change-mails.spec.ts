import type { OrderRecord } from '@app/application';
import type { Shipment } from '@app/domain';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { orderMail, type OrderMail } from '../../../libs/infrastructure/src/mail/order-mail.js';

const STAGES = ['notify-shipment', 'notify-cancellation', 'notify-refund'] as const;
const BODIES = ['text', 'html'] as const;
const TRACKING_URL = 'https://tracking.example.com/1Z999';
const customer = { name: 'Ada', email: 'ada@example.com', phone: '' };
const runner = anOrderRecord().lines[0] as OrderRecord['lines'][number];
const laces = { ...runner, line: 2, name: 'Laces', attributes: {}, quantity: 3 };
const parcel: Shipment = {
  reference: 'P-1',
  status: 'shipped',
  items: [{ line: 1, quantity: 2 }],
  carrier: 'DHL',
  trackingNumber: '1Z999',
  trackingUrl: TRACKING_URL,
  shippedAt: new Date(),
  deliveredAt: null,
};

/** A shipped, cancelled and refunded order: each mail finds what it is about. */
const changed = (values: Partial<OrderRecord> = {}) =>
  anOrderRecord({
    lines: [{ ...runner, shippedQuantity: 2 }],
    shipments: [parcel],
    refunds: [{ reference: 'P-1', amount: 500, at: new Date() }],
    ...values,
  });

function mailOf(stage: (typeof STAGES)[number], order: OrderRecord): OrderMail {
  const mail = orderMail(stage, order, aStoreProfile(), 'P-1');
  if (!mail) throw new Error('no mail');
  return mail;
}

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
        { ...runner, shippedQuantity: 2 },
        { ...laces, shippedQuantity: 1 },
      ],
      ...values,
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
        'Still to come:',
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

  it('shows the same in HTML, with a link to the parcel', () => {
    const { html } = mailOf('notify-shipment', partly());

    expect(html).toMatch(
      /In this shipment<\/h2>[^]*2 × Runner[^]*Carrier: DHL<br>Tracking number: 1Z999<br><a href="https:\/\/tracking\.example\.com\/1Z999"[^]*Still to come<\/h2>[^]*2 × Laces/,
    );
    expect(html).not.toContain('Subtotal');
  });

  it.each(['javascript:alert(1)', 'tracking', 'https://user:password@tracking.example.com/'])(
    'has no link to %s',
    (trackingUrl) => {
      const { text, html } = mailOf('notify-shipment', changed({ shipments: [{ ...parcel, trackingUrl }] }));

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
    const order = changed({ shipments: [{ ...parcel, status }] });

    expect(orderMail('notify-shipment', order, aStoreProfile(), reference)).toBeNull();
  });
});

describe('the mail about a cancellation', () => {
  const cancelled = (values: Partial<OrderRecord> = {}) =>
    changed({ status: 'CANCELLED', fulfillmentStatus: 'CANCELLED', shipments: [], refunds: [], ...values });
  const paid = { reference: 'PAY-1', amount: 3998, at: new Date() };

  it.each(BODIES)('names the order and its lines in %s, and no money when nothing was paid', (body) => {
    const mail = mailOf('notify-cancellation', cancelled());

    expect(mail.subject).toBe('Your order WEB-261120-7K3M9Q at Acme is cancelled');
    expect(mail[body]).toContain('your order at Acme is cancelled.');
    expect(mail[body]).toContain('2 × Runner (Size: 42, Color: Blue)');
    expect(mail[body]).not.toMatch(/paid|pay back|\$/);
  });

  it.each([
    ['a recorded payment', { status: 'SUCCEEDED', payments: [paid] }, 'will pay back $39.98'],
    ['a payment that an operator set', { status: 'SUCCEEDED' }, 'will pay back $39.98'],
    ['a payment after the cancellation', { payments: [paid] }, 'will pay back $39.98'],
    [
      'a payment that was refunded in part',
      { status: 'SUCCEEDED', payments: [paid], refunds: [{ ...paid, amount: 998 }] },
      'have paid back $9.98 to you.\n\nWe will pay back $30.00',
    ],
    ['a refunded payment', { status: 'REFUNDED', payments: [paid], refunds: [paid] }, 'have paid back $39.98'],
  ])('says of %s that the money is paid back', (_what, values, words) => {
    const { text } = mailOf('notify-cancellation', cancelled(values));

    expect(text).toContain(`We ${words} to you.`);
    expect(text.match(/pa(?:id|y) back/g)).toHaveLength(words.match(/pa(?:id|y) back/g)?.length ?? 0);
  });
});

describe('the mail about a refund', () => {
  it.each([
    ['USD', 1234, '$12.34'],
    ['JPY', 1999, '¥1,999'],
    ['KWD', 1250, 'KWD\u00a01.250'],
  ])('writes %s %i as %s, and no other amount', (currency, amount, written) => {
    const refunds = [
      { reference: 'P-0', amount: 77, at: new Date() },
      { reference: 'P-1', amount, at: new Date() },
    ];

    const { subject, text, html } = mailOf('notify-refund', changed({ currency, refunds }));

    expect(subject).toBe('Refund for your order WEB-261120-7K3M9Q at Acme');
    for (const body of [text, html]) {
      expect(body).toContain(`we have paid back ${written} to you for your order at Acme.`);
      expect(body).not.toContain('77');
    }
  });
});
