import type { OrderRecord } from '@app/application';
import { anOrderRecord, aStoreProfile } from '../../builders/order-record.js';
import { orderMail, type OrderMail } from '../../../libs/infrastructure/src/mail/order-mail.js';

function mailOf(stage: 'notify-customer' | 'notify-merchant', order: OrderRecord, store = aStoreProfile()): OrderMail {
  const mail = orderMail(stage, order, store);
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

    const { subject, text, html } = mailOf('notify-merchant', anOrderRecord({ fraud }));

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
