import type { WebhookKey } from '@app/application';
import type { DataCipher } from '../platform/data-cipher.js';
import { WEBHOOK_HEADERS, WEBHOOK_SECRETS } from '../secrets/encrypted-columns.js';

interface TimedSecret {
  readonly secret: string;
  /** Milliseconds since 1970; null when it does not end. */
  readonly until: number | null;
}

/** When rotations overlap, the secrets beyond this number end, oldest first. */
const MOST = 3;

class WebhookSecrets {
  constructor(private readonly secrets: readonly TimedSecret[]) {}

  get texts(): string[] {
    return this.secrets.map(({ secret }) => secret);
  }

  /** @param overlapMs how long the current secrets still sign. */
  replaced(secret: string, overlapMs: number): TimedSecret[] {
    const end = new Date().getTime() + overlapMs;
    const old = this.secrets.map((each) => ({ ...each, until: Math.min(each.until ?? end, end) }));
    // @protects old-secret
    return [{ secret, until: null }, ...(overlapMs > 0 ? old : [])].slice(0, MOST);
  }
}

export function sealSecrets(cipher: DataCipher, { storeId, id }: WebhookKey, secrets: readonly TimedSecret[]): Buffer {
  return cipher.encrypt(JSON.stringify(secrets), WEBHOOK_SECRETS.context(storeId, id));
}

export function openSecrets(cipher: DataCipher, { storeId, id }: WebhookKey, sealed: Buffer): WebhookSecrets {
  const all = JSON.parse(cipher.decrypt(sealed, WEBHOOK_SECRETS.context(storeId, id))) as TimedSecret[];
  return new WebhookSecrets(all.filter(({ until }) => until === null || until > new Date().getTime()));
}

type Headers = Readonly<Record<string, string>>;

export function sealHeaders(cipher: DataCipher, { storeId, id }: WebhookKey, headers: Headers): Buffer {
  return cipher.encrypt(JSON.stringify(headers), WEBHOOK_HEADERS.context(storeId, id));
}

export function openHeaders(cipher: DataCipher, { storeId, id }: WebhookKey, sealed: Buffer | null): Headers {
  if (sealed === null) return {};
  return JSON.parse(cipher.decrypt(sealed, WEBHOOK_HEADERS.context(storeId, id))) as Headers;
}
