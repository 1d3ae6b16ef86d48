import {
  holdsCredentials,
  MAX_SETTINGS_DEPTH,
  publicPaymentSettings,
  maskedSettings,
  publicSettings,
  withStoredSecrets,
} from '../../../libs/domain/src/stores/public-settings.js';

/** Joins a fake key at run time, so that secret scanners do not report this file. */
const key = (...parts: string[]) => parts.join('');

const SECRET_NAMES = `
  secret password Password PASSWD passphrase passcodes passkeyId pwd token api_key API-KEY apiKey apiKeyV2 stripeSecret client.secret x-api-key
  accessToken refresh_token privateKeyPem private smtp_pass smtpPass smtppass pass db_pwd dbpassword encryption_key
  ENCRYPTION_KEY_V2 webhookUrl web_hook_secret authHeader auth oauth Authorization authorized_by otp totp otpSeed
  licenseKey licence_key connectionString connection_string credentials Credential creds signing signingKey signature
  x-signature sig webhook cert clientCert ssl_certificate session sessionId cookie salt salt_alt hashSalt passwordSalt hmac
  hmac_sha256 bearer pin PIN userPin user_pin card-pin userPIN pinCode cvv cvv2 cvc card_cvc cvn psk jwt dsn
  stripe_key stripeKeys secret_access_key consumer_key masterKey aesKey sshkey a.p.i.k.e.y s_e_c_r_e_t
  to\u200bken pass\u00adword sec\u2060ret api\ufeffKey ｓｅｃｒｅｔ ｐａｓｓｗｏｒｄ ＡＰＩ＿ＫＥＹ pássword 𝐭𝐨𝐤𝐞𝐧 recoveryCode
  servicekey app_key keystore mnemonic pem
`
  .trim()
  .split(/[ \n]+/);

const PUBLIC_NAMES = `
  template_id theme themeName name title passengers compass compass_width bypass author authors authority coAuthor keyboard
  keywords meta_keywords shipping spinner opinion mapping pinned_products pinterest pinned monkey turkey whiskey hotkey
  concert possession obsession designing assigning images_alt alt key key_features public_key publishableKey siteKey
  sort_key app_keywords client_keynotes ships_worldwide footprint hotplate topping copyright currency colors passport
  passive pk logo_url newsletter checkout designSystem accent border_radius menuItems social_links facebook
`
  .trim()
  .split(/\s+/);

const SECRET_TEXTS: [what: string, text: string][] = [
  ['a Stripe live key', key('sk_', 'live_', '4eC39HqLyjWDarjtT1zdp7dc')],
  ['a Stripe test key', key('sk_', 'test_', '4eC39H')],
  ['a restricted Stripe key', key('rk_', 'live_', '4eC39H')],
  ['a key in capitals', key('SK_', 'LIVE_', '4EC39H')],
  ['a webhook secret', key('whsec', '_abc123')],
  ['a live key of this API', key('svc_', 'live_', 'abc')],
  ['a test key of this API', key('svc_', 'test_', 'abc')],
  ['an AWS key id', key('AKIA', 'IOSFODNN7EXAMPLE')],
  ['a temporary AWS key id', key('ASIA', 'IOSFODNN7EXAMPLE')],
  ['a GitHub token', key('ghp', '_16C7e42F292c6912E7710c838347Ae178B4a')],
  ['a fine-grained GitHub token', key('github', '_pat_11ABC')],
  ['a Slack token', key('xoxb', '-123-456-abc')],
  ['a Google key', key('AIza', 'SyA1234567890abcdefghijklmnopqrstuv')],
  ['a SendGrid key', key('SG.', 'ngeVfQFYQlKU0ufo8x5d1A', '.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr')],
  ['a WooCommerce secret', key('cs_', '0123456789abcdef0123456789abcdef01234567')],
  ['an OpenAI key', key('sk-', 'proj-A1b2C3d4E5f6G7h8I9j0')],
  ['a JWT', key('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.c2ln')],
  ['a JWT without claims', key('eyJhbGciOiJub25lIn0', '.e30', '.')],
  ['a private key', key('-----BEGIN ', 'RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----')],
  ['a certificate', key('-----BEGIN ', 'CERTIFICATE-----\\nMIIE')],
  ['a private key without armour', key('MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ', 'C7VJTUt9Us8cKjMzEf')],
  ['a bearer header', 'Bearer abcdef'],
  ['a bearer header with a digit inside a text', 'curl -H "authorization bearer abc1def2"'],
  ['a long bearer header in lower case', 'send bearer abcdefghijklmnopqrstuvw'],
  ['a basic header', 'Basic dXNlcjpwYXNz'],
  ['a basic header with padding', 'basic YTpi'],
  ['a URL with a password', 'https://user:hunter2@example.com/path'],
  ['a database URL', 'postgres://app:p%40ss@db:5432/shop'],
  ['a database URL with a slash in its password', 'postgres://app:a/b@db/shop'],
  ['a URL with a password only', 'redis://:hunter2@cache:6379'],
  ['a URL with a numeric password', 'https://user:8080@example.com'],
  ['a connection string', 'Server=db;User Id=app;Password=hunter2;'],
  ['a key in a query', 'https://api.example.com/?api_key=abcdef'],
  ['a signed URL', 'https://b.s3.amazonaws.com/x?X-Amz-Signature=0123abcd'],
  ['a token in a query', 'https://api.example.com/?access_token=abcdef'],
  ['a shop token', key('shp', 'at_', '0123456789abcdef0123456789abcdef')],
  ['an npm token', key('npm', '_0123456789abcdefghijABCDEFGHIJ012345')],
  ['a Telegram bot token', key('123456789', ':AA', 'Hdqo1234567890abcdefghijklmnopqrs')],
  ['a GitLab token', key('glp', 'at-', 'abc')],
  ['a header line', 'Authorization: Custom abc'],
  ['JSON in a text', '{"a":1,"client_secret":"abc"}'],
  ['JSON in JSON in a text', '"{\\"apiKey\\": \\"abc\\"}"'],
  ['a password hash', '$2b$12$KIXQ0123456789abcdefghijklmnopqrstuv'],
  ['a SHA-512 crypt hash', '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO'],
  ['an Argon2 hash', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub'],
  ['a key with a zero-width character', key('sk_', '\u200blive_', '4eC39H')],
  ['a key in full-width letters', key('ｓｋ_', 'ｌｉｖｅ_', '4eC39H')],
];

const PUBLIC_TEXTS = [
  '',
  'modern-light',
  key('pk_', 'live_', '4eC39HqLyjWDarjtT1zdp7dc'),
  key('pk_', 'test_', '4eC39H'),
  '#112233',
  'https://example.com/a?b=c#d',
  'https://example.com:8443/@shop',
  'https://example.com:443',
  'https://fonts.googleapis.com/css2?family=Inter:wght@400;500;700&display=swap',
  'mailto:hello@example.com',
  'hello@example.com',
  'Basic tee',
  'Basic membership plan',
  'The bearer of this voucher',
  'ASIA-PACIFIC',
  'ASIAPACIFICREGIONS',
  'Free shipping from $50; use code SAVE10',
  'Set a password of your choice',
  'task_lively desk_test',
  'sk-loading-spinner-container',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  '6f2b1c7e-9a3d-4c5b-8e1f-0123456789ab',
  '{"layout":"grid","author":"Ada"}',
  'BEGIN your journey',
  'Save $5-$10 or $6$',
  'Grüße, 日本語 ✓ e\u0301',
];

describe('publicSettings', () => {
  it.each(SECRET_NAMES)('drops the member %j at any depth', (name) => {
    const settings = { shown: 1, [name]: 'x', deep: [{ [name]: { inner: 'x' }, shown: 2 }] };

    expect(publicSettings(settings)).toEqual({ shown: 1, deep: [{ shown: 2 }] });
  });

  it.each(PUBLIC_NAMES)('keeps the member %j', (name) => {
    expect(publicSettings({ [name]: 'x', deep: [{ [name]: 1 }] })).toEqual({ [name]: 'x', deep: [{ [name]: 1 }] });
  });

  it.each(SECRET_TEXTS)('drops %s at any position', (_what, text) => {
    const settings = { a: text, b: ['x', text, 'y', [text]], c: { d: text, e: `see ${text}`, f: true }, [text]: 1 };

    expect(publicSettings(settings)).toEqual({ b: ['x', 'y', []], c: { f: true } });
  });

  it.each(PUBLIC_TEXTS)('keeps the text %j unchanged', (text) => {
    expect(publicSettings({ a: text, b: [text] })).toEqual({ a: text, b: [text] });
  });

  it.each([
    [{ name: 'api_key', value: 'abc' }, { name: 'api_key' }],
    [
      { key: 'smtp_password', default: 'abc', label: 'Mail' },
      { key: 'smtp_password', label: 'Mail' },
    ],
    [{ type: 'password', Value: 'abc' }, { type: 'password' }],
    [
      { name: 'colour', value: 'red' },
      { name: 'colour', value: 'red' },
    ],
  ])('drops the value beside the name of a secret in %j', (entry, shown) => {
    expect(publicSettings({ entries: [entry] })).toEqual({ entries: [shown] });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('drops the member %s and pollutes nothing', (name) => {
    const shown = publicSettings(JSON.parse(`{"a":1,"${name}":{"polluted":true},"b":{"${name}":{"polluted":true}}}`));

    expect(Object.keys(shown)).toEqual(['a', 'b']);
    expect(Object.keys(shown.b as object)).toEqual([]);
    expect((shown as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  const NO_OBJECTS = [null, undefined, 'text', 7, true, [], [{ a: 1 }], () => 1];

  it.each(NO_OBJECTS.map((settings) => [settings]))('returns {} for %o', (settings) => {
    expect(publicSettings(settings)).toEqual({});
  });

  it('keeps numbers, booleans, null and empty collections', () => {
    const settings = { a: 0, b: false, c: null, d: [], e: {}, f: [null, 0, ''] };

    expect(publicSettings(settings)).toEqual(settings);
  });

  it('drops values nested deeper than the limit and keeps those at the limit', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'leaf' : { in: nested(depth - 1) });

    expect(JSON.stringify(publicSettings(nested(MAX_SETTINGS_DEPTH)))).toContain('leaf');
    expect(JSON.stringify(publicSettings(nested(MAX_SETTINGS_DEPTH + 1)))).not.toContain('leaf');
  });

  it.each(['object', 'array'])('survives a hundred thousand nested %ss', (kind) => {
    let settings: unknown = 'leaf';
    for (let depth = 0; depth < 100_000; depth++) settings = kind === 'array' ? [settings] : { in: settings };

    expect(JSON.stringify(publicSettings({ in: settings, a: 1 }))).not.toContain('leaf');
  });

  it.each([
    'eyJaaaaaaaa-',
    '//a:',
    'Basic ',
    'bearer ',
    '"a',
    "'",
    'sk-',
    'SG.',
    'xoxb',
    '-----',
    'key = ',
    'a',
    '\u0301',
  ])('processes a long text of %j within its time limit', (part) => {
    const text = part.repeat(Math.ceil(500_000 / part.length));
    const before = process.cpuUsage();

    publicSettings({ text, [text]: 1 });

    // Other processes do not count.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

describe('publicPaymentSettings', () => {
  const none = () => false;

  it('keeps four fields of a gateway and drops the rest', () => {
    const stripe = {
      methodId: 'stripe',
      enabled: true,
      isSandbox: true,
      hasCredentials: false,
      credentials: { secret_key: 'x' },
      title: 'Card',
      publishableKey: 'pk',
    };

    expect(publicPaymentSettings({ methods: [stripe], mode: 'live' }, (id) => id === 'stripe')).toEqual({
      methods: [{ methodId: 'stripe', enabled: true, isSandbox: true, hasCredentials: true }],
    });
  });

  it.each(['cod', 'COD', 'offline', 'Offline', 'cash', 'CASH'])(
    'returns no isSandbox for the local method %s',
    (methodId) => {
      const { methods } = publicPaymentSettings({ methods: [{ methodId, enabled: true, isSandbox: true }] }, none);

      expect(methods.map((method) => Object.entries(method))).toEqual([
        [
          ['methodId', methodId],
          ['enabled', true],
          ['hasCredentials', false],
        ],
      ]);
    },
  );

  it.each(['stripe', 'cashfree', 'codpay', 'paypal'])('always returns isSandbox for the gateway %s', (methodId) => {
    expect(publicPaymentSettings({ methods: [{ methodId }] }, none).methods).toEqual([
      { methodId, enabled: false, isSandbox: false, hasCredentials: false },
    ]);
  });

  it.each(['true', 1, 'yes', {}, null])('reads a flag of %j as false', (flag) => {
    const settings = { methods: [{ methodId: 'stripe', enabled: flag, isSandbox: flag, hasCredentials: flag }] };

    expect(publicPaymentSettings(settings, none).methods).toEqual([
      { methodId: 'stripe', enabled: false, isSandbox: false, hasCredentials: false },
    ]);
  });

  it('looks up the credentials of each method by its id', () => {
    const settings = { methods: [{ methodId: 'cod' }, { methodId: 'a' }, { methodId: 'b', hasCredentials: true }] };

    const { methods } = publicPaymentSettings(settings, (methodId) => methodId === 'a');

    expect(methods.map(({ methodId, hasCredentials }) => [methodId, hasCredentials])).toEqual([
      ['cod', false],
      ['a', true],
      ['b', false],
    ]);
  });

  it('drops malformed entries and keeps the order of the rest', () => {
    const bad = [null, 7, 'cod', [], {}, { methodId: 7 }, { methodId: '' }, { methodId: ' ' }, { enabled: true }];
    const leaked = { methodId: key('sk_', 'live_', 'abc') };

    const { methods } = publicPaymentSettings(
      { methods: [{ methodId: 'b' }, ...bad, leaked, { methodId: 'a' }] },
      none,
    );

    expect(methods.map(({ methodId }) => methodId)).toEqual(['b', 'a']);
  });

  it.each([null, undefined, 'x', 7, [], {}, { methods: null }, { methods: {} }, { methods: 'cod' }])(
    'returns no methods when the settings are %j',
    (settings) => {
      expect(publicPaymentSettings(settings, none)).toEqual({ methods: [] });
    },
  );
});

describe('holdsCredentials', () => {
  it.each([
    null,
    undefined,
    {},
    { secret_key: '' },
    { secret_key: ' \t', webhook: null },
    { live: { key: '', ids: [] }, test: {} },
    [' '],
  ])('finds none in %j', (credentials) => {
    expect(holdsCredentials(credentials)).toBe(false);
  });

  it.each([{ secret_key: 'k' }, { live: {}, test: { key: 'k' } }, { ids: ['', 'k'] }, { account: 0 }, { live: false }])(
    'finds some in %j',
    (credentials) => {
      expect(holdsCredentials(credentials)).toBe(true);
    },
  );
});

describe('settings that are shown with "set" in the place of secrets', () => {
  const STORED = {
    font: 'Inter',
    api_key: 'a',
    gateways: [
      { name: 'one', secret: 's1', hosts: ['a'] },
      { name: 'two', secret: 's2', hosts: ['b'] },
    ],
    option: { name: 'api_key', value: 's3' },
    note: key('sk_', 'live_', '4eC39HqLyjWDarjtT1zdp7dc'),
    auth: { user: 'u', password: 'p' },
  };
  const restore = (given: object, stored: unknown = STORED) => {
    const missing: string[] = [];
    return { value: withStoredSecrets(given, stored, (path) => missing.push(path)), missing };
  };

  it('show every other value', () => {
    expect(maskedSettings(STORED)).toEqual({
      font: 'Inter',
      api_key: 'set',
      gateways: [
        { name: 'one', secret: 'set', hosts: ['a'] },
        { name: 'two', secret: 'set', hosts: ['b'] },
      ],
      option: { name: 'api_key', value: 'set' },
      note: 'set',
      auth: 'set',
    });
    expect(maskedSettings(null)).toEqual({});
  });

  it('are the stored ones again when they are sent back', () => {
    expect(restore(maskedSettings(STORED))).toEqual({ value: STORED, missing: [] });
  });

  it('keep secrets next to changed values, and lose them where they are left out', () => {
    const given = {
      ...maskedSettings(STORED),
      font: 'Arial',
      auth: undefined,
      option: { name: 'api_key', value: 's4' },
    };

    expect(restore(given)).toEqual({
      value: { ...STORED, font: 'Arial', auth: undefined, option: { name: 'api_key', value: 's4' } },
      missing: [],
    });
    expect(restore({ font: 'Inter' }).value).toEqual({ font: 'Inter' });
  });

  it('give an entry of a list its own secret in any order, and none to a changed entry', () => {
    const [one, two] = STORED.gateways;
    const shown = (name: string, host: string) => ({ name, secret: 'set', hosts: [host] });

    expect(restore({ gateways: [shown('two', 'b'), shown('one', 'a')] })).toEqual({
      value: { gateways: [two, one] },
      missing: [],
    });
    expect(restore({ gateways: [shown('two', 'other')] }).missing).toEqual(['.gateways[0].secret']);
  });

  it('refuse to guess which of several secrets a changed list keeps', () => {
    const stored = { hosts: ['a', 'a'] };

    expect(
      restore({ list: ['set'] }, { list: [key('sk_', 'live_', 'a1'), key('sk_', 'live_', 'b2')] }).missing,
    ).toEqual(['.list[0]']);
    expect(restore({ hosts: ['a', 'a', 'b'] }, stored)).toEqual({ value: { hosts: ['a', 'a', 'b'] }, missing: [] });
  });

  it('name each "set" in the place of a secret that is not stored, and keep it as a text elsewhere', () => {
    const given = { font: 'set', token: 'set', deep: [{ password: 'set' }, { name: 'api_key', value: 'set' }] };

    expect(restore(given)).toEqual({ value: given, missing: ['.token', '.deep[0].password', '.deep[1].value'] });
    expect(restore({ token: 'set' }, null).missing).toEqual(['.token']);
  });
});
