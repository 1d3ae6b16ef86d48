import path from 'node:path';
import { Config, ConfigError } from './config.js';

const ENCODED = 'with special characters of a password percent-encoded';
const DATABASE_URL = 'postgres://store:secret@localhost/store';
const NO_URL = `DATABASE_URL must be a URL that starts with postgres:// or postgresql://, ${ENCODED}`;
const KEY = Buffer.alloc(32, 7).toString('base64');
const OLDER = Buffer.alloc(32, 1).toString('base64');
const OIDC = { OIDC_ISSUER: 'https://login.example/', OIDC_CLIENT_ID: 'store', OIDC_CLIENT_SECRET: 'secret' };
const PUBLIC_URL = 'https://shop.example';
const TOGETHER = 'is missing: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are required together';
const COLLECTOR = 'http://collector:4318';

describe('Config', () => {
  it('has a default for everything', () => {
    expect(new Config({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: null,
      databaseDirectUrl: null,
      databasePoolSize: 10,
      dataDir: path.resolve('.data'),
      pipeline: 'inline',
      smtpUrl: null,
      encryptionKeys: null,
      throttlePer10s: 5000,
      healthLimits: { pipelineLagSeconds: 300, deadLetters: 100, feedLagSeconds: 300, retainedWalMib: 4096 },
      logLevel: 'info',
      webhookAllow: [],
      trustProxy: false,
      tracing: false,
      dashboard: true,
      metricsPort: null,
      workerPort: null,
      oidc: null,
      mailedCodes: true,
    });
  });

  it.each([
    [{ DATABASE_URL }, { host: '0.0.0.0', pipeline: 'off', databaseDirectUrl: DATABASE_URL }],
    [{ HOST: '::' }, { host: '::' }],
    [{ DATABASE_URL, PIPELINE: 'inline' }, { pipeline: 'inline' }],
    [{ DATABASE_URL, DATABASE_DIRECT_URL: 'postgresql://direct/s' }, { databaseDirectUrl: 'postgresql://direct/s' }],
    [
      { PORT: '', DATABASE_URL: ' ', PIPELINE: '' },
      { port: 3000, databaseUrl: null },
    ],
    [{ DATA_ENCRYPTION_KEYS: `${KEY}, ${OLDER}` }, { encryptionKeys: [Buffer.alloc(32, 7), Buffer.alloc(32, 1)] }],
    [{ WEBHOOK_ALLOW: '10.1.0.0/16, 10.2.0.7,fd00::/8' }, { webhookAllow: ['10.1.0.0/16', '10.2.0.7/32', 'fd00::/8'] }],
    [{ TRUST_PROXY: 'true' }, { trustProxy: true }],
    [{ TRUST_PROXY: 'false' }, { trustProxy: false }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustProxy: ['10.0.0.0/8', '::1/128'] }],
    [
      { ...OIDC, PUBLIC_URL },
      { oidc: { issuer: 'https://login.example/', clientId: 'store', clientSecret: 'secret' }, mailedCodes: true },
    ],
    [{ ...OIDC, PUBLIC_URL, SIGN_IN: 'oidc' }, { mailedCodes: false }],
    [{ ...OIDC, PUBLIC_URL }, { oidc: { trustsEmail: false } }],
    [{ ...OIDC, PUBLIC_URL, OIDC_TRUST_EMAIL: 'on' }, { oidc: { trustsEmail: true } }],
    ...[
      'https://login.microsoftonline.com/2f8e0d9c-1a3b-4c5d-8e7f-0a1b2c3d4e5f/v2.0',
      'https://login.example/common',
    ].map((OIDC_ISSUER): [Record<string, string>, object] => [
      { ...OIDC, OIDC_ISSUER, PUBLIC_URL },
      { oidc: { issuer: OIDC_ISSUER } },
    ]),
    [
      { ...OIDC, OIDC_ISSUER: 'http://localhost:8080', PUBLIC_URL: 'http://127.0.0.1:3000/' },
      { publicUrl: 'http://127.0.0.1:3000' },
    ],
    [{ METRICS_PORT: '3001' }, { metricsPort: 3001 }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR }, { tracing: true }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/x' }, { tracing: true }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' }, { tracing: false }],
    [{ LOG_LEVEL: 'WARN' }, { logLevel: 'warn' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }, { tracing: false }],
  ])('reads %j as %j', (env, expected) => {
    expect(new Config(env)).toMatchObject(expected);
  });

  it.each([
    [{ PORT: 'http' }, 'PORT must be an integer from 0 to 65535'],
    [{ METRICS_PORT: '3000' }, 'METRICS_PORT must differ from PORT'],
    [{ METRICS_PORT: 'x' }, 'METRICS_PORT must be an integer from 0 to 65535'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL of at most 2000 characters',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/protobuf',
    ],
    [{ PORT: '65536' }, 'PORT must be an integer from 0 to 65535'],
    [{ DATABASE_URL: 'mysql://x/y' }, NO_URL],
    [{ DATABASE_URL: 'postgres://a:b/c@d/e' }, NO_URL],
    [{ DATABASE_URL: 'postgres://a:100%@d/e' }, NO_URL],
    [
      { DATABASE_URL: '', NODE_ENV: 'production' },
      'DATABASE_URL is empty: set it, or unset it to use the embedded database',
    ],
    [{ DATABASE_URL: 'localhost:5432' }, NO_URL],
    [{ DATABASE_DIRECT_URL: DATABASE_URL }, 'DATABASE_DIRECT_URL requires DATABASE_URL'],
    [{ DATABASE_POOL_SIZE: '0' }, 'DATABASE_POOL_SIZE must be an integer from 1 to 1000'],
    [{ PIPELINE: 'on' }, 'PIPELINE must be one of inline, off'],
    [{ SMTP_URL: 'mail.example.com' }, `SMTP_URL must be a URL that starts with smtp:// or smtps://, ${ENCODED}`],
    [{ SMTP_URL: 'smtp://mail?pool=true&debug=true' }, 'SMTP_URL must not have the options debug or logger'],
    [
      { TRUST_PROXY: 'nginx' },
      'TRUST_PROXY must be true, false, a number of proxies, or networks such as 10.1.0.0/16, separated by commas',
    ],
    [{ TRUST_PROXY: '10.0.0.1/8' }, 'TRUST_PROXY must have 10.0.0.0/8 or 10.0.0.1/32 instead of 10.0.0.1/8'],
    [
      { WEBHOOK_ALLOW: 'fd00::/8,10.0.0.1/8' },
      'WEBHOOK_ALLOW must have 10.0.0.0/8 or 10.0.0.1/32 instead of 10.0.0.1/8',
    ],
    [{ WEBHOOK_ALLOW: '::ffff:10.0.0.0/104' }, 'WEBHOOK_ALLOW must have 10.0.0.0/8 instead of ::ffff:10.0.0.0/104'],
    [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM must be an address, or Name <address>'],
    [
      { DATA_ENCRYPTION_KEYS: 'short' },
      'DATA_ENCRYPTION_KEYS must be keys of 32 bytes in base64, separated by commas, newest first',
    ],
    [{ KEY_USAGE_KEPT_DAYS: '0' }, 'KEY_USAGE_KEPT_DAYS must be an integer from 1 to 36500'],
    [{ REJECTED_ORDERS_KEPT_DAYS: 'x' }, 'REJECTED_ORDERS_KEPT_DAYS must be an integer from 1 to 36500'],
    [{ THROTTLE_PER_10S: '-1' }, 'THROTTLE_PER_10S must be an integer from 0 to 10000000'],
    [{ PIPELINE_MAX_LAG_SECONDS: '0' }, 'PIPELINE_MAX_LAG_SECONDS must be an integer from 1 to 1000000'],
    [{ PIPELINE_MAX_DEAD_LETTERS: '10000' }, 'PIPELINE_MAX_DEAD_LETTERS must be an integer from 0 to 9999'],
    [{ FEED_MAX_LAG_SECONDS: '5m' }, 'FEED_MAX_LAG_SECONDS must be an integer from 1 to 1000000'],
    [{ WAL_MAX_RETAINED_MIB: '-1' }, 'WAL_MAX_RETAINED_MIB must be an integer from 1 to 1000000000'],
    [{ WORKER_CONCURRENCY: '0' }, 'WORKER_CONCURRENCY must be an integer from 1 to 200'],
    [{ WORKER_CONCURRENCY: '201' }, 'WORKER_CONCURRENCY must be an integer from 1 to 200'],
    ...['http://login.example', 'https://a:b@login.example', 'https://login.example?a', 'login.example'].map(
      (OIDC_ISSUER): [Record<string, string>, string] => [
        { ...OIDC, OIDC_ISSUER, PUBLIC_URL },
        'OIDC_ISSUER must be a URL that starts with https://, without a query',
      ],
    ),
    ...[
      ...['https://login.microsoftonline.com/common/v2.0', 'https://login.microsoftonline.com/organizations'],
      ...['https://login.microsoftonline.us/Common/v2.0', 'https://sts.windows.net/common/'],
      ...['https://login.microsoftonline.com/consumers/v2.0'],
      ...['https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0'],
    ].map((OIDC_ISSUER): [Record<string, string>, string] => [
      { ...OIDC, OIDC_ISSUER, PUBLIC_URL },
      'OIDC_ISSUER must contain the id of one tenant: this issuer has the accounts of every company',
    ]),
    [{ OIDC_TRUST_EMAIL: 'on' }, 'OIDC_TRUST_EMAIL requires OIDC_ISSUER'],
    [{ ...OIDC, PUBLIC_URL, OIDC_TRUST_EMAIL: 'yes' }, 'OIDC_TRUST_EMAIL must be one of on, off'],
    [{ ...OIDC, OIDC_ISSUER: '', PUBLIC_URL }, `OIDC_ISSUER ${TOGETHER}`],
    [{ ...OIDC, OIDC_CLIENT_ID: '', PUBLIC_URL }, `OIDC_CLIENT_ID ${TOGETHER}`],
    [{ ...OIDC, OIDC_CLIENT_SECRET: '', PUBLIC_URL }, `OIDC_CLIENT_SECRET ${TOGETHER}`],
    [
      { ...OIDC, OIDC_ISSUER: 'https://login.example/x/.well-known/openid-configuration', PUBLIC_URL },
      'OIDC_ISSUER must be the issuer itself, without /.well-known/openid-configuration',
    ],
    [OIDC, 'PUBLIC_URL is required with OIDC_ISSUER'],
    ...[
      ...['http://shop.example', 'https://shop.example/admin', 'https://shop.example//', 'https://shop.example?a'],
      ...['https://shop.example/#a', 'https://a@shop.example', 'shop.example', 'https://', 'https://shop\n.example/'],
    ].map((url): [Record<string, string>, string] => [
      { PUBLIC_URL: url },
      'PUBLIC_URL must be https:// and a host, or http:// on this machine, without a path, user, query or fragment',
    ]),
    [{ SIGN_IN: 'oidc' }, 'SIGN_IN requires OIDC_ISSUER'],
    [{ ...OIDC, PUBLIC_URL, SIGN_IN: 'code' }, 'SIGN_IN must be oidc, or absent'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent'],
    [
      { DATABASE_URL, NODE_ENV: 'production' },
      'DATA_ENCRYPTION_KEYS is required in production when DATABASE_URL is set',
    ],
  ])('stops the start for %j with one line', (env, line) => {
    expect(() => new Config(env)).toThrow(
      new ConfigError(line.split(' ')[0] ?? '', line.split(' ').slice(1).join(' ')),
    );
  });

  it('never repeats a value, which may be a secret', () => {
    expect(() => new Config({ DATABASE_URL: 'mysql://root:hunter2@host/db' })).not.toThrow(/hunter2/);
    expect(() => new Config({ DATABASE_URL: 'mysql://root:hunter2@host/db' })).toThrow(ConfigError);
  });

  it('needs no key file in production when keys are given', () => {
    expect(() => new Config({ DATABASE_URL, NODE_ENV: 'production', DATA_ENCRYPTION_KEYS: KEY })).not.toThrow();
  });

  it.each(['10.1.0.0/33', '10.1', 'erp.internal', 'fe80::1%eth0', '10.0.0.0/8/8', '10.0.0.1,'])(
    'refuses the networks %s',
    (networks) => {
      expect(() => new Config({ WEBHOOK_ALLOW: networks })).toThrow(
        'WEBHOOK_ALLOW must be networks such as 10.1.0.0/16, separated by commas',
      );
    },
  );
});
