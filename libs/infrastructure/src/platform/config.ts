import path from 'node:path';
import { readNetwork } from '@app/application';
import { integerFrom, isLoopback, parseUrl, VALUES, wordOf, type ValueReader } from '@app/domain';
import { readMailbox, type Mailbox } from './mailbox.js';

export const DEFAULT_DATA_DIR = path.resolve('.data');

/** How long records are kept, in days. */
export interface Retention {
  /** Applies to assessments of rejected orders. The assessment of a placed order stays with the order. */
  readonly rejectedOrders: number;
  /** Applies to daily counts of the use of API keys. */
  readonly keyUsage: number;
}

export interface HealthLimits {
  readonly pipelineLagSeconds: number;
  /** The number of stages that failed for good within 24 h. */
  readonly deadLetters: number;
  readonly feedLagSeconds: number;
  readonly retainedWalMib: number;
}

/** The identity provider, and the service's account at it. */
export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whether an e-mail counts as verified when the provider does not say so. */
  readonly trustsEmail: boolean;
}

export class Config {
  readonly port: number;
  readonly host: string;
  /** `null` means embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** A URL that bypasses a pooler, for migrations, commands and the worker's housekeeping. */
  readonly databaseDirectUrl: string | null;
  readonly databasePoolSize: number;
  /** An absolute path. The directory holds the embedded database, the key file and unsent mail. */
  readonly dataDir: string;
  /** `inline` means that the API process also runs the pipeline. */
  readonly pipeline: 'inline' | 'off';
  /** `null` means that mail is written to files under `dataDir`. */
  readonly smtpUrl: string | null;
  readonly mailFrom: Mailbox;
  /** Configures sign-in by OpenID Connect; `null` means none. */
  readonly oidc: OidcClient | null;
  /** Whether people can sign in with a mailed code. */
  readonly mailedCodes: boolean;
  /** Keys of 32 bytes, newest first; `null` means a key file under `dataDir`. */
  readonly encryptionKeys: readonly Buffer[] | null;
  /** The number of requests that a key may send in 10 s; 0 means no limit. */
  readonly throttlePer10s: number;
  readonly retention: Retention;
  readonly healthLimits: HealthLimits;
  readonly logLevel: string;
  /** Whether spans are sent. The standard `OTEL_*` variables configure the exporter. */
  readonly tracing: boolean;
  /** Whether an API process serves the dashboard and the sign-in of people. */
  readonly dashboard: boolean;
  /** The port of an API process's metrics; `null` means `port`. */
  readonly metricsPort: number | null;
  /** The port of a worker's metrics; `null` means none. */
  readonly workerPort: number | null;
  /** The URL where browsers reach the service, without a trailing slash; `null` when unknown. */
  readonly publicUrl: string | null;
  /** The number of stages that run at the same time. Each of them has a connection to the mail server. */
  readonly workerConcurrency: number;
  /** Private networks that webhooks may nevertheless reach, on any port, such as `10.1.0.0/16`. */
  readonly webhookAllow: readonly string[];
  /** The proxies whose `X-Forwarded-For` is trusted: all or none, the last n proxies, or those in networks. */
  readonly trustProxy: boolean | number | readonly string[];

  /** @throws ConfigError */
  constructor(env: Readonly<Record<string, string | undefined>>) {
    const read = new Environment(env);
    this.port = read.integer('PORT', 3000, 0, 65_535);
    this.databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
    // A service with the embedded database listens only on this machine, unless the operator sets HOST.
    this.host = read.text('HOST') ?? (this.databaseUrl === null ? '127.0.0.1' : '0.0.0.0');
    this.databaseDirectUrl = read.url('DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']) ?? this.databaseUrl;
    this.databasePoolSize = read.integer('DATABASE_POOL_SIZE', 10, 1, 1000);
    this.dataDir = path.resolve(read.text('DATA_DIR') ?? DEFAULT_DATA_DIR);
    this.pipeline = read.oneOf('PIPELINE', ['inline', 'off']) ?? (this.databaseUrl === null ? 'inline' : 'off');
    this.smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
    this.mailFrom = read.mailbox('MAIL_FROM') ?? { name: '', address: 'orders@localhost' };
    this.encryptionKeys = read.keys('DATA_ENCRYPTION_KEYS');
    this.oidc = read.oidcClient();
    this.mailedCodes =
      read.value('SIGN_IN', { read: (text) => text === 'oidc' || null, rule: 'must be oidc, or absent' }) === null;
    this.throttlePer10s = read.integer('THROTTLE_PER_10S', 5000, 0, 10_000_000);
    this.retention = {
      rejectedOrders: read.integer('REJECTED_ORDERS_KEPT_DAYS', 90, 1, 36_500),
      keyUsage: read.integer('KEY_USAGE_KEPT_DAYS', 400, 1, 36_500),
    };
    this.healthLimits = {
      pipelineLagSeconds: read.integer('PIPELINE_MAX_LAG_SECONDS', 300, 1, 1_000_000),
      // The gauge counts up to 10,000 only.
      deadLetters: read.integer('PIPELINE_MAX_DEAD_LETTERS', 100, 0, 9_999),
      feedLagSeconds: read.integer('FEED_MAX_LAG_SECONDS', 300, 1, 1_000_000),
      retainedWalMib: read.integer('WAL_MAX_RETAINED_MIB', 4_096, 1, 1_000_000_000),
    };
    this.logLevel = read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']) ?? 'info';
    const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
    const isSet = endpoints.map((name) => read.value(name, VALUES.webAddress)).some((url) => url !== null);
    this.tracing =
      isSet && read.text('OTEL_SDK_DISABLED')?.toLowerCase() !== 'true' && read.text('OTEL_TRACES_EXPORTER') !== 'none';
    for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL']) {
      if (this.tracing) read.oneOf(name, ['http/protobuf']);
    }
    this.dashboard = read.oneOf('DASHBOARD', ['on', 'off']) !== 'off';
    this.metricsPort = read.port('METRICS_PORT');
    this.workerPort = read.port('WORKER_PORT');
    this.publicUrl = read.publicUrl('PUBLIC_URL');
    this.workerConcurrency = read.integer('WORKER_CONCURRENCY', 20, 1, 200);
    this.webhookAllow = read.networks('WEBHOOK_ALLOW');
    this.trustProxy = read.trustedProxies('TRUST_PROXY');

    if (this.metricsPort === this.port && this.port !== 0)
      throw new ConfigError('METRICS_PORT', 'must differ from PORT');
    if (this.encryptionKeys === null && this.databaseUrl !== null && env.NODE_ENV === 'production') {
      throw new ConfigError('DATA_ENCRYPTION_KEYS', 'is required in production when DATABASE_URL is set');
    }
    // The mailer reads options from the URL's query. These two would write whole messages to the log.
    if (/[?&](debug|logger)=/i.test(this.smtpUrl ?? '')) {
      throw new ConfigError('SMTP_URL', 'must not have the options debug or logger');
    }
    // A missing secret leaves the variable empty. Orders would then go into a new embedded database and be lost with
    // it.
    if (this.databaseUrl === null && env.DATABASE_URL !== undefined && env.NODE_ENV === 'production') {
      throw new ConfigError('DATABASE_URL', 'is empty: set it, or unset it to use the embedded database');
    }
    if (this.databaseUrl === null && this.databaseDirectUrl !== null) {
      throw new ConfigError('DATABASE_DIRECT_URL', 'requires DATABASE_URL');
    }
    // The provider sends the browser back to PUBLIC_URL. A sign-in that began at another address has no cookie there.
    if (this.oidc && this.publicUrl === null) throw new ConfigError('PUBLIC_URL', 'is required with OIDC_ISSUER');
    if (!this.oidc && !this.mailedCodes) throw new ConfigError('SIGN_IN', 'requires OIDC_ISSUER');
  }
}

/**
 * The value of a variable prevents the start. The message of the error is one line. It does not repeat the value, which
 * may be a secret, except a text that is nearly a network.
 */
export class ConfigError extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
  }
}

class Environment {
  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** Returns null for an empty variable, like for an absent one. */
  text(name: string): string | null {
    return this.env[name]?.trim() || null;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    return this.value(name, integerFrom(min, max)) ?? fallback;
  }

  port(name: string): number | null {
    return this.text(name) === null ? null : this.integer(name, 0, 0, 65_535);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T | null {
    return this.value(name, wordOf(values));
  }

  url(name: string, protocols: readonly string[]): string | null {
    const starts = protocols.map((protocol) => `${protocol}//`).join(' or ');
    const form = `a URL that starts with ${starts}, with special characters of a password percent-encoded`;
    return this.value(name, { read: (text) => (isUrl(text, protocols) ? text : null), rule: `must be ${form}` });
  }

  mailbox(name: string): Mailbox | null {
    return this.value(name, { read: readMailbox, rule: 'must be an address, or Name <address>' });
  }

  keys(name: string): Buffer[] | null {
    return this.value(name, { read: readKeys, rule: `must be ${KEYS_FORM}` });
  }

  /** Single addresses become networks of one address. */
  networks(name: string, forms = 'networks such as 10.1.0.0/16, separated by commas'): string[] {
    return (this.text(name)?.split(',') ?? []).map((part) => {
      const { network, instead } = readNetwork(part);
      if (network !== null) return network;
      // A text that is nearly a network is not a secret, so the message may show it.
      const meant = instead.length > 0 && `must have ${instead.join(' or ')} instead of ${part.trim()}`;
      throw new ConfigError(name, meant || `must be ${forms}`);
    });
  }

  oidcClient(): OidcClient | null {
    if (this.text('OIDC_ISSUER')?.endsWith(DISCOVERY)) {
      throw new ConfigError('OIDC_ISSUER', `must be the issuer itself, without ${DISCOVERY}`);
    }
    const issuer = this.value('OIDC_ISSUER', { read: readIssuer, rule: `must be ${ISSUER_FORM}` });
    if (issuer !== null && isOfManyTenants(new URL(issuer))) {
      throw new ConfigError(
        'OIDC_ISSUER',
        'must contain the id of one tenant: this issuer has the accounts of every company',
      );
    }
    const trustsEmail = this.oneOf('OIDC_TRUST_EMAIL', ['on', 'off']) === 'on';
    if (trustsEmail && issuer === null) throw new ConfigError('OIDC_TRUST_EMAIL', 'requires OIDC_ISSUER');
    const clientId = this.text('OIDC_CLIENT_ID');
    const clientSecret = this.text('OIDC_CLIENT_SECRET');
    if (issuer !== null && clientId !== null && clientSecret !== null) {
      return { issuer, clientId, clientSecret, trustsEmail };
    }
    if (issuer === null && clientId === null && clientSecret === null) return null;
    const missing = issuer === null ? 'OIDC_ISSUER' : clientId === null ? 'OIDC_CLIENT_ID' : 'OIDC_CLIENT_SECRET';
    throw new ConfigError(
      missing,
      'is missing: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are required together',
    );
  }

  /** Drops the trailing slash. Sessions exist only at this address: browsers send their cookies to no other one. */
  publicUrl(name: string): string | null {
    const read = (text: string) => (isPrivateUrl(text) && /^https?:\/\/[^\s/?#@]+\/?$/i.test(text) ? text : null);
    const rule = 'must be https:// and a host, or http:// on this machine, without a path, user, query or fragment';
    return this.value(name, { read, rule })?.replace(/\/$/, '') ?? null;
  }

  trustedProxies(name: string): boolean | number | string[] {
    const text = this.text(name);
    if (text === null || text === 'false') return false;
    if (text === 'true') return true;
    if (/^\d{1,2}$/.test(text)) return Number(text);
    const forms = 'true, false, a number of proxies, or networks such as 10.1.0.0/16, separated by commas';
    return this.networks(name, forms);
  }

  value<T>(name: string, { read, rule }: ValueReader<T>): T | null {
    const text = this.text(name);
    if (text === null) return null;
    const value = read(text);
    if (value === null) throw new ConfigError(name, rule);
    return value;
  }
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const url = parseUrl(text);
  if (url === null) return false;
  try {
    [url.username, url.password, url.pathname].forEach(decodeURIComponent);
  } catch {
    return false;
  }
  return protocols.includes(url.protocol);
}

/** A provider serves its metadata at this path below the issuer. */
const DISCOVERY = '/.well-known/openid-configuration';

const ISSUER_FORM = 'a URL that starts with https://, without a query';

function readIssuer(text: string): string | null {
  return isPrivateUrl(text) && !/[?#@]/.test(text) ? text : null;
}

/**
 * Matches the sign-in hosts of Microsoft. They have the accounts of every company and of private persons. Private
 * persons enter their e-mail themselves.
 */
const MICROSOFT = /(?:^|\.)(?:microsoftonline\.(?:com|us|cn)|windows\.net)$/;
const MANY_TENANTS = /^\/(?:common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(?:\/|$)/i;

const isOfManyTenants = ({ hostname, pathname }: URL): boolean =>
  MICROSOFT.test(hostname) && MANY_TENANTS.test(pathname);

/** Whether nobody can read the traffic to this URL: it uses https, or stays on this machine. */
function isPrivateUrl(text: string): boolean {
  const url = parseUrl(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
}

/** The form of the text that `readKeys` reads. */
export const KEYS_FORM = 'keys of 32 bytes in base64, separated by commas, newest first';

export function readKeys(text: string): Buffer[] | null {
  const keys = text.split(',').map((part) => Buffer.from(part.trim(), 'base64'));
  return keys.every((key) => key.length === 32) ? keys : null;
}
