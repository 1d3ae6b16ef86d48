import { readLine } from '../../apps/api/src/body/body.pipe.js';
import * as field from '../../apps/api/src/body/fields.js';
import * as parameter from '../../apps/api/src/query/parameters.js';
import * as option from '../../apps/cli/src/option-values.js';
import { checkLine } from '../../libs/bundles/src/bundle/check/check-line.js';
import { Config } from '../../libs/infrastructure/src/platform/config.js';

/** Throws for a text that the vocabulary refuses. A text that it cannot receive returns {@link NEVER}. */
type Reader = (text: string) => unknown;

const NEVER = Symbol('never');
const description = 'A value.';

function body(...fields: readonly PropertyDecorator[]): Reader {
  const types = fields.map((decorate) => {
    class Body {
      value: unknown;
    }
    decorate(Body.prototype, 'value');
    return Body;
  });
  return (value) => {
    const faults = types.map((Body) => readLine(Body, { value }).faults);
    if (faults.every(({ length }) => length > 0)) throw new Error(JSON.stringify(faults));
  };
}

const query =
  (filter: { readonly read: (sent: readonly string[]) => unknown }): Reader =>
  (text) =>
    filter.read([text]);

const bundle =
  (lineWith: (value: unknown) => object): Reader =>
  (text) =>
    checkLine(lineWith(text));

const variable =
  (name: string, valueOf = (text: string) => text): Reader =>
  (text) =>
    text === '' ? NEVER : new Config({ [name]: valueOf(text) });

/** A member of JSON, where the text is the number of JSON. */
const number =
  (read: (value: never) => unknown): Reader =>
  (text) =>
    /^(?:0|-?[1-9]\d*(?:\.\d*[1-9])?|0\.\d*[1-9])$/.test(text) ? read(JSON.parse(text) as never) : NEVER;

const bin = { kind: 'bin', store: 'acme', warehouse: 'MAIN', code: 'A-1' };
const customer = { kind: 'customer', store: 'acme', name: 'Ada' };
const product = { kind: 'product', store: 'acme', slug: 'runner' };
const store = { kind: 'store', subdomain: 'acme', name: 'Acme', currency: 'USD' };
const order = {
  ...{ kind: 'order', store: 'acme', receipt_number: 'POS-1', source: 'POS', status: 'SUCCEEDED' },
  ...{ fulfillment_status: 'DELIVERED', payment_method: 'CASH', currency: 'USD', amount: 100, total_amount: 100 },
  created_at: '2026-01-02T03:04:05Z',
};
const payment = { reference: 'P', amount: 1, at: order.created_at };

/** What most readers get wrong, whatever they read. */
const ANYWHERE = [
  ...['x\0', '\0', '\ud800', 'x\udc00', '\u200b', '\u202ex', 'x\u0085y', 'a\tb', 'a\nb', 'a b', 'null', 'undefined'],
  ...[
    'é',
    'e\u0301',
    '😀',
    'ﬀ',
    'ß',
    '١٢',
    '１２',
    '-',
    '--x',
    '0',
    '1',
    '-1',
    '+1',
    '007',
    '1.5',
    '1,5',
    '1e3',
    '0x10',
  ],
  ...[
    'true',
    'TRUE',
    'false',
    'on',
    'x'.repeat(255),
    'x'.repeat(2_001),
    '9'.repeat(19),
    '[object Object]',
    '__proto__',
  ],
];

const UUID = '6f2b1c7e-9a3d-4c5b-8e1f-0123456789ab';
const LABELS = `${'b'.repeat(63)}.${'c'.repeat(63)}`;

interface Kind {
  readonly readers: Readonly<Record<string, Reader>>;
  readonly texts: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  time: {
    readers: {
      body: body(field.TimestampField({ description }), field.FutureTimeField({ description })),
      query: query(parameter.timeFilter('from', 'Rows.')),
      bundle: bundle((created_at) => ({ ...product, created_at })),
      option: option.moment,
    },
    texts: [
      ...['2026-01-01T00:00Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.123456789Z'],
      ...['2026-01-01T00:00:00.1234567891Z', '2026-01-01T00:00:00.Z', '2026-01-01T00:00:00,5Z', '2026-01-01T00Z'],
      ...['2026-01-01T00:00:00', '2026-01-01', '2026-01-01T00:00:00+01:00', '2026-01-01T00:00:00+14:01', 'now'],
      ...[
        '2026-01-01T00:00:00+23:59',
        '2026-01-01T00:00:00+24:00',
        '2026-01-01T00:00:00+01:60',
        '2026-01-01T00:00:00+01',
      ],
      ...[
        '2026-01-01T00:00:00+0100',
        '2026-01-01T00:00:00-00:00',
        '2026-01-01t00:00:00z',
        '2026-01-01T00:00:00 01:00Z',
      ],
      ...['2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '2024-02-29T00:00:00Z', '1900-02-29T00:00:00Z'],
      ...['2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z'],
      ...['2016-12-31T23:59:60Z', '2026-01-01T24:00:00Z', '2026-01-01T24:00:01Z', '2026-01-01T25:00:00Z'],
      ...['2026-01-01T23:60:00Z', '0000-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00+00:01'],
      ...['1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z', '3000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
      ...['9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '1767225600'],
    ],
  },
  day: {
    readers: { query: query(parameter.dateFilter('from', 'Days.')), option: option.expiry },
    texts: [
      ...[
        '2999-01-01',
        '2996-02-29',
        '2999-02-29',
        '2999-02-30',
        '2999-13-01',
        '2999-00-01',
        '2999-01-00',
        '9999-12-31',
      ],
      ...['10000-01-01', '+010000-01-01', '2999-1-1', '29990101', '2999-01', '2999', '2999/01/01', '01.01.2999', ''],
    ],
  },
  code: {
    readers: {
      body: body(field.CodeField({ description, isRequired: true })),
      bundle: bundle((code) => ({ ...bin, code })),
    },
    texts: [
      'A-1',
      'a'.repeat(64),
      'a'.repeat(65),
      '😀'.repeat(64),
      '😀'.repeat(65),
      'A/1',
      'A 1',
      'A\u00a01',
      '\ufeff',
      '',
    ],
  },
  reference: {
    readers: {
      body: body(field.ReferenceField({ description, isRequired: true })),
      bundle: bundle((reference) => ({ ...order, payments: [{ ...payment, reference }] })),
      option: option.externalReference,
    },
    texts: [
      ...['PO-1', 'P O', 'P  O', 'P\u00a0O', 'P\ufe0fO', 'a\u200db', '\u2800', '\u3164', 'P\u2028O', ''],
      ...['a'.repeat(64), 'a'.repeat(65), '😀'.repeat(64), '😀'.repeat(65)],
    ],
  },
  currency: {
    readers: {
      body: body(field.CurrencyField({ description, isRequired: true })),
      bundle: bundle((currency) => ({ ...store, currency })),
      option: option.currency,
    },
    texts: ['USD', 'usd', 'Eur', 'JPY', 'CLF', 'ZZZ', 'XXX', 'US', 'USDT', 'U$D', '€', 'ıNR', 'ſEK', 'ﬀ1', ''],
  },
  country: {
    readers: {
      body: body(field.CountryField({ description })),
      bundle: bundle((country) => ({ ...order, shipping_address: { country } })),
    },
    texts: ['DE', 'de', 'De', 'XK', 'UK', 'ZZ', 'EU', 'DEU', 'D', 'D1', 'ﬁ', 'ıT', 'Åx', ''],
  },
  'e-mail': {
    readers: {
      body: body(field.RequiredEmailField({ description })),
      'optional body': body(field.EmailField({ description })),
      bundle: bundle((email) => ({ ...customer, email })),
      option: option.emailArgument,
      variable: variable('MAIL_FROM', (text) => `Orders <${text}>`),
    },
    texts: [
      ...['ada@example.com', 'Ada@Example.COM', 'orders@localhost', 'ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ...[
        'a@b@c.example',
        '@example.com',
        'ada@',
        'ada',
        '<ada@example.com>',
        'Ada <ada@example.com>',
        '"a"@example.com',
      ],
      ...['a,b@example.com', 'ada@example..com', 'ada@[127.0.0.1]', 'ada@1.2', 'a..b@example.com', 'a=?b@c.test'],
      ...[
        'ada@example.com\nBcc: b@c.test',
        `${'a'.repeat(64)}@b.cd`,
        `${'a'.repeat(65)}@b.cd`,
        `${'ä'.repeat(33)}@b.cd`,
      ],
      ...[`${'a'.repeat(64)}@${LABELS}.${'d'.repeat(58)}.ef`, `${'a'.repeat(64)}@${LABELS}.${'d'.repeat(59)}.ef`],
    ],
  },
  decimal: {
    readers: {
      body: body(field.DecimalField({ description, isRequired: true })),
      bundle: bundle((price) => ({ ...product, price })),
    },
    texts: [
      ...[
        '79.90',
        '79.9',
        '0',
        '0.00',
        '00079.90',
        '79.',
        '.90',
        '-0',
        '-1',
        '1e-7',
        '1E3',
        '1 000',
        '1_000',
        'NaN',
        '',
      ],
      ...[
        '9'.repeat(11),
        '9'.repeat(12),
        '9'.repeat(18),
        '0'.repeat(17) + '1',
        '1.' + '0'.repeat(18),
        '1.' + '0'.repeat(19),
      ],
      ...['Infinity', '79.90.1', '79.90 USD', '$79', '0.1e1', '7٫9'],
    ],
  },
  amount: {
    readers: {
      body: number(body(field.MinorUnitsField({ description }))),
      bundle: number(bundle((amount) => ({ ...order, payments: [{ ...payment, amount }] }))),
      option: option.minorUnits,
    },
    texts: [
      '0',
      '1999',
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '9'.repeat(17),
      '19.99',
      '-0',
      '2.0',
    ],
  },
  integer: {
    readers: {
      body: number(body(field.IntegerField({ description, min: 1, max: 1_000 }))),
      query: query(parameter.integerFilter('days', 'Days.', { min: 1, max: 1_000 })),
      bundle: number(bundle((review_orders_per_email) => ({ ...store, fraud_settings: { review_orders_per_email } }))),
      option: option.rowCount,
      variable: variable('DATABASE_POOL_SIZE'),
    },
    texts: [
      '1000',
      '1001',
      '0001',
      '-0',
      '+0',
      '1.0',
      '1.',
      '1e2',
      '١',
      '1_0',
      '1 0',
      '9'.repeat(400),
      '00000000000000001',
    ],
  },
  'rate of a tax': {
    readers: {
      body: number(body(field.TaxRateField({ description }))),
      bundle: number(
        bundle((rate) => ({ ...store, charge_settings: { rates: [{ country: 'DE', name: 'VAT', rate }] } })),
      ),
    },
    texts: ['0', '19', '7.7', '19.0001', '19.00001', '1000', '1000.0001', '1001', '-1', '0.1234', '0.12345'],
  },
  UUID: {
    readers: { bundle: bundle((id) => ({ ...customer, id })), option: option.keyId },
    texts: [UUID, UUID.toUpperCase(), UUID.replaceAll('-', ''), `{${UUID}}`, `${UUID}0`, UUID.replace('a', 'g'), ''],
  },
  'receipt number': {
    readers: {
      bundle: bundle((receipt_number) => ({ ...order, receipt_number })),
      option: (text) => (text === UUID ? NEVER : option.orderReference(text)),
    },
    texts: ['POS-1', 'pos-1', 'P_1', 'P 1', '-', 'a'.repeat(64), 'a'.repeat(65), UUID, 'Ä-1', ''],
  },
  subdomain: {
    readers: { bundle: bundle((subdomain) => ({ ...store, subdomain })), option: option.subdomain },
    texts: ['acme', 'Acme', 'a', '-a', 'a-', 'a-b', 'a_b', 'a.b', 'a'.repeat(63), 'a'.repeat(64), 'ä', ''],
  },
  text: {
    readers: {
      body: body(field.TextField({ description, max: 200 })),
      bundle: bundle((city) => ({ ...customer, city })),
    },
    texts: [
      '',
      'a'.repeat(200),
      'a'.repeat(201),
      '😀'.repeat(200),
      '😀'.repeat(201),
      'e\u0301'.repeat(101),
      '❤\ufe0f'.repeat(101),
    ],
  },
  'name for people': {
    readers: { body: body(field.NameField({ description, isRequired: true })), option: option.displayName },
    texts: [
      'Ada',
      'a'.repeat(200),
      'a'.repeat(201),
      '😀'.repeat(200),
      'می\u200cخواهم',
      '\u3164',
      '\u2800',
      'Ada\u2066',
      '',
    ],
  },
  'web address': {
    readers: {
      body: body(field.WebAddressField({ description })),
      variable: variable('OTEL_EXPORTER_OTLP_ENDPOINT'),
    },
    texts: [
      ...[
        'https://example.com',
        'http://localhost:4318/v1',
        'HTTPS://EXAMPLE.COM',
        'https:example.com',
        'https:/example.com',
      ],
      ...[
        'https://',
        '//example.com',
        'example.com',
        'ftp://example.com',
        'javascript:alert(1)',
        'https://a b.example',
      ],
      ...['https://example.com/a b', 'https://example.com/\ta', 'https://münchen.example', 'https://u:p@example.com'],
      ...['https://example.com:99999', 'https://[::1]/', 'https://example.com/#x', 'mailto:a@b.cd'],
    ],
  },
  flag: {
    readers: {
      query: query(parameter.booleanFilter('held', 'some', 'others')),
      'only true': (text) => query(parameter.trueFilter('open', 'some'))(/^(?:false|0)$/i.test(text) ? 'true' : text),
      lenient: (text) => {
        const isFalse = /^(?:false|0)$/i.test(text);
        if (!isFalse && parameter.flagFilter('featured', 'some').read([text]) === undefined) throw new Error('no flag');
      },
    },
    texts: [
      'true',
      'TRUE',
      'True',
      '1',
      '0',
      'false',
      'FALSE',
      'on',
      'off',
      'yes',
      'no',
      't',
      'truefalse',
      '01',
      '2',
      '',
    ],
  },
};

function isAccepted(read: Reader, text: string): boolean | null {
  try {
    return read(text) === NEVER ? null : true;
  } catch {
    return false;
  }
}

describe('A value', () => {
  it.each(Object.entries(KINDS))('is the same everywhere, or nowhere: %s', (_kind, { readers, texts }) => {
    const verdicts = [...new Set([...ANYWHERE, ...texts])].map((text) => {
      const heard = Object.entries(readers).map(([name, read]) => [name, isAccepted(read, text)] as const);
      return { text, ...Object.fromEntries(heard.filter(([, verdict]) => verdict !== null)) };
    });

    expect(verdicts.filter(({ text, ...heard }) => new Set(Object.values(heard)).size > 1)).toEqual([]);
  });
});
