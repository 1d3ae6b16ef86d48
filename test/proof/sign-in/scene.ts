import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Role } from '@app/domain';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture, type Session } from '../../builders/store-fixture.js';
import { Browser, codeIn, type BrowserAnswer, type BrowserRequest } from '../../support/browser.js';
import { SmtpSink } from '../../support/smtp-sink.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';

const HOUR_LATE = { NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'hour-late.mjs')}` };
/** After an outage of 30 s, the next attempt may be 30 s away. */
const MAIL_MS = 90_000;
const HOST = 'shop.example';

let networks = 0;

/**
 * A scene with a store, a mail server, a worker, an API process behind a proxy, and another without, whose clock is an
 * hour late.
 */
export class Scene {
  asked = 0;
  /** Tokens, and all cookies: nonces and sessions. */
  readonly secrets = new Set<string>();

  private constructor(
    readonly context: ProofContext,
    readonly store: StoreFixture,
    readonly sink: SmtpSink,
    readonly proxied: Service,
    readonly direct: Service,
    private readonly worker: Service,
  ) {}

  static async open(context: ProofContext): Promise<Scene> {
    const { rig } = context;
    const sink = await SmtpSink.start();
    const [proxied, direct, worker] = await Promise.all([
      rig.startService({ env: { TRUST_PROXY: '1' } }),
      rig.startService({ env: HOUR_LATE }),
      rig.startWorker({ env: { SMTP_URL: sink.url, PUBLIC_URL: `https://${HOST}`, ...HOUR_LATE } }),
    ]);
    return new Scene(context, await StoreFixture.create(rig.database), sink, proxied, direct, worker);
  }

  async close(): Promise<void> {
    await Promise.all([this.proxied, this.direct, this.worker].map((service) => service.kill()));
    await this.sink.close();
  }

  get database() {
    return this.context.rig.database;
  }

  get logs(): string {
    return [this.proxied, this.direct, this.worker].map(({ log }) => log).join('');
  }

  person(role: Role = 'owner'): Promise<Session> {
    return this.store.session(role);
  }

  /** A browser at the address of the proxy, in a network of its own unless `more` has another. */
  browser(more: Record<string, string> = {}): Browser {
    return new Browser((each) => this.send(this.proxied, each), {
      host: HOST,
      origin: `https://${HOST}`,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': network(),
      ...more,
    });
  }

  /** Opens a browser on the machine of the other process, over plain http. */
  localBrowser(more: Record<string, string> = {}): Browser {
    const { host } = new URL(this.direct.url);
    return new Browser((each) => this.send(this.direct, each), { host, origin: `http://${host}`, ...more });
  }

  async mailedCode(browser: Browser, email: string): Promise<string> {
    const mail = await this.nextMail(email, async () => {
      const { status } = await browser.requestCode(email);
      if (status !== 200) throw new Error(`The request of a code was answered ${status}`);
    });
    return codeIn(mail);
  }

  invitation({ id, email }: Session): Promise<string> {
    return this.nextMail(email, () =>
      this.database.query('UPDATE people SET invite_due = true WHERE store_id = $1 AND id = $2', [this.store.id, id]),
    );
  }

  /** Opens a URL like programs that look for harmful pages. */
  async scan(url: string): Promise<BrowserAnswer> {
    const { pathname, search } = new URL(url);
    return this.browser().ask('GET', pathname + search);
  }

  async signedIn(email: string, browser = this.browser()): Promise<Browser> {
    const { status } = await browser.enter({ link: await this.link(email) });
    if (status !== 200) throw new Error(`A link was answered ${status}`);
    return browser;
  }

  /** Makes a link like the command line, which takes a second to start. */
  link(email: string): Promise<string> {
    return this.token(email, null);
  }

  /** @param nonce the nonce of the browser, for a sign-in at an identity provider. */
  async token(email: string, nonce: string | null): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    this.secrets.add(token);
    const [secretHash, nonceHash] = [token, nonce].map((each) => each && createHash('sha256').update(each).digest());
    const account = nonce === null ? ['link', null, null] : ['oidc', 'https://login.example', uuidv7()];
    await this.database.query(
      `INSERT INTO sign_ins (id, kind, oidc_issuer, oidc_subject, email, secret_hash, nonce_hash, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + interval '5 minutes')`,
      [uuidv7(), ...account, email, secretHash, nonceHash],
    );
    return token;
  }

  mailsTo(email: string): string[] {
    return this.sink.mails.filter(({ to }) => to.includes(email)).map(({ raw }) => raw);
  }

  private async nextMail(email: string, ask: () => Promise<unknown>): Promise<string> {
    const before = this.mailsTo(email).length;
    await ask();
    const giveUpAt = performance.now() + MAIL_MS;
    while (this.mailsTo(email).length === before) {
      if (performance.now() > giveUpAt) throw new Error('A mail did not arrive');
      await delay(20);
    }
    return this.mailsTo(email).at(-1) ?? '';
  }

  /** Sends a custom `Host`, which fetch cannot. */
  private async send(service: Service, { method, url, headers, body }: BrowserRequest): Promise<BrowserAnswer> {
    this.asked++;
    const content = body && JSON.stringify(body);
    const typed = content === undefined ? headers : { ...headers, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request(service.url + url, { method, headers: typed, agent: false }, (response) => {
        const { statusCode: status = 0, headers: given } = response;
        const answer = { status, headers: given, setCookies: given['set-cookie'] ?? [] };
        for (const line of answer.setCookies) this.secrets.add(/=([^;]*)/.exec(line)?.[1] ?? '');
        const read = (content: string) => ({
          ...answer,
          body: content.startsWith('{') ? (JSON.parse(content) as object) : {},
        });
        text(response).then((content) => resolve(read(content)), reject);
      });
      sent.on('error', reject).end(content);
    });
  }
}

export const network = (): string => {
  networks++;
  return `198.${18 + (networks >> 16)}.${(networks >> 8) & 255}.${networks & 255}`;
};

/** Whether the sign-in is refused; every cause has the code `sign_in_invalid`. */
export const isRefused = ({ status, headers }: BrowserAnswer): boolean =>
  status === 422 && headers['x-error-code'] === 'sign_in_invalid';

export const violationIf = (isViolated: boolean, text: string): string[] => (isViolated ? [text] : []);
