import type { Random } from '../support/proof.js';
import type { Canaries } from './canaries.js';

type Json = unknown;

/** A public text next to every secret, which the service must show. */
export const OPEN = 'openly-shown';

const NAMES =
  `secret password apiKey API-KEY stripeSecret client.secret accessToken refresh_token privateKeyPem smtp_pass
  db_pwd encryption_key webhookUrl authHeader otpSeed licenseKey connectionString credentials signing session cookie salt
  hmac_sha256 bearer userPin cvv2 psk jwt dsn stripe_key masterKey sshkey s_e_c_r_e_t pássword recoveryCode`
    .trim()
    .split(/\s+/);
const PLAIN_NAMES = ['layout', 'header', 'zones', 'banner', 'blocks', 'footer', 'checkout', 'shipping'];

/** Texts that are secret under any name. Assembled at run time, so that secret scanners do not report this file. */
const SHAPES: readonly ((canary: string) => string)[] = [
  (canary) => ['sk', 'live', `${canary}4eC39HqLyjWDarjtT`].join('_'),
  (canary) => ['whsec', canary].join('_'),
  (canary) => ['svc', 'live', canary].join('_'),
  (canary) => ['https://user:', canary, '@example.com/path'].join(''),
  (canary) => ['Bearer ', canary, 'a1'].join(''),
  (canary) => `{"a":1,"client_secret":"${canary}"}`,
  (canary) => `Server=db;User Id=app;${'Password'}=${canary};`,
  (canary) => ['-----BEGIN ', 'PRIVATE KEY-----\n', canary, '\n-----END PRIVATE KEY-----'].join(''),
  (canary) => `https://api.example.com/?${'access_token'}=${canary}`,
];

export class Plants {
  constructor(
    private readonly canaries: Canaries,
    private readonly random: Random,
  ) {}

  settings(secrets: number): Record<string, Json> {
    const root: Record<string, Json> = { shown: OPEN };
    for (let n = 0; n < secrets; n++)
      root[`${this.pick(PLAIN_NAMES)}_${n}x`] = this.nest(this.member(), this.random(8));
    return root;
  }

  credentials(secrets: number): Record<string, Json> {
    const members = Array.from({ length: secrets }, (_, n) => [`member_${n}`, this.canaries.mint('cred')] as const);
    return { ...Object.fromEntries(members.slice(1)), deeper: [{ [members[0]?.[0] ?? '']: members[0]?.[1] }] };
  }

  customer(store: string, n: number): Record<string, Json> {
    return {
      kind: 'customer',
      store,
      name: this.canaries.mint('pers'),
      email: `${this.canaries.mint('pers')}@example.com`,
      phone: `+1 555 01${String(n).padStart(5, '0')}`,
      password_hash: `$2b$12$${this.canaries.mint('cust')}`,
      verification_token: this.canaries.mint('cust'),
      national_id: this.canaries.mint('nati'),
    };
  }

  private member(): Json {
    const [canary, name, shape] = [this.canaries.mint('sett'), this.pick(NAMES), this.pick(SHAPES)];
    const forms: readonly (() => Json)[] = [
      () => ({ [name]: canary, shown: OPEN }),
      () => ({ [name]: { inner: [canary, { deep: canary }] }, shown: OPEN }),
      () => ({ note: shape(canary), shown: OPEN }),
      () => ({ [shape(canary)]: 1, shown: OPEN }),
      () => ({ entries: [{ name, value: canary }, shape(canary)], shown: OPEN }),
    ];
    return this.pick(forms)();
  }

  private nest(value: Json, depth: number): Json {
    if (depth === 0) return value;
    const inner = this.nest(value, depth - 1);
    return this.random(2) === 0 ? [inner] : { [this.pick(PLAIN_NAMES)]: inner };
  }

  private pick<T>(from: readonly T[]): T {
    return from[this.random(from.length)] as T;
  }
}

export function shownIn(text: string): number {
  return text.split(OPEN).length - 1;
}
