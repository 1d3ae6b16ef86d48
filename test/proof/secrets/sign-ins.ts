import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '../../builders/store-fixture.js';
import { Browser, codeIn, type BrowserAnswer, type BrowserRequest } from '../../support/browser.js';
import { CLIENT, type LyingProvider } from '../../support/lying-provider.js';
import type { SmtpSink } from '../../support/smtp-sink.js';
import type { TestDatabase } from '../../support/test-database.js';
import { inTime } from '../support/store-setup.js';
import type { Asker } from './asker.js';
import type { Canaries } from './canaries.js';

export interface SignInGround {
  readonly database: TestDatabase;
  readonly asker: Asker;
  readonly canaries: Canaries;
  readonly sink: SmtpSink;
  readonly provider: LyingProvider;
  readonly owner: Session;
}

/** Codes, tokens, nonces, sessions and keys as people get them. Each is kept, so that it is found wherever else it is. */
export async function signInOften(ground: SignInGround): Promise<string[]> {
  const { asker, canaries, owner } = ground;
  canaries.keep(owner.secret, CLIENT.secret);
  const email = `${canaries.mint('pers')}@example.com`;
  const person = { email, name: canaries.mint('pers'), role: 'owner' };
  const write = { method: 'POST', key: owner.secret, mayName: true };
  const added = await asker.ask('/v1/people', { ...write, body: person });
  await asker.ask('/v1/people', { ...write, body: person });
  const made = await asker.ask('/v1/keys', { ...write, body: { name: 'ERP', scope: ['read'] } });
  const { data } = JSON.parse(made.body) as { data: { key: string } };
  canaries.keep(data.key);
  return [
    ...expecting(added.status, 201, 'a new person'),
    ...(await enterByCode(ground, email)),
    ...(await enterByProvider(ground, email)),
  ];
}

async function enterByCode(ground: SignInGround, email: string): Promise<string[]> {
  const { database, canaries, sink } = ground;
  const page = browserOf(ground);
  sink.behaviour = { kind: 'refuse', at: 'message', code: 451 };
  await page.requestCode(email);
  canaries.keep(page.cookies.get('signin') ?? '');
  const waiting = await inTime(async () => {
    const rows = await database.query('SELECT FROM sign_ins WHERE email = $1 AND mail_attempts > 0', [email]);
    if (rows.length === 0) throw new Error('no mail of a code was refused');
  });
  const rows = await database.query<{ row: string }>('SELECT t::text AS row FROM sign_ins AS t');
  sink.behaviour = { kind: 'accept' };
  const code = await mailedCode(sink, email);
  const spellings = [code, code.replace('-', '')];
  canaries.keep(...spellings);
  const copied = rows.some(({ row }) => canaries.find(row, []).length > 0);
  const wrong = await page.enter({ code: code.startsWith('0') ? `1${code.slice(1)}` : `0${code.slice(1)}` });
  const foreign = await browserOf(ground).enter({ code });
  const entered = await page.enter({ code });
  canaries.keep(...page.cookies.values());
  return [
    ...waiting,
    ...(copied ? ['a code that waits for its mail is in clear text in the table sign_ins'] : []),
    ...expecting(wrong.status, 422, 'a wrong code'),
    ...expecting(foreign.status, 422, 'a code in another browser'),
    ...expecting(entered.status, 200, 'a code'),
    ...expecting((await page.enter({ code })).status, 422, 'a used code'),
    ...expecting((await page.signOut()).status, 200, 'the end of a session'),
  ];
}

async function enterByProvider(ground: SignInGround, email: string): Promise<string[]> {
  const { canaries, provider } = ground;
  const page = browserOf(ground);
  const back = async () => {
    const { headers } = await page.ask('GET', '/dashboard/oidc/start');
    const parameters = provider.signIn(String(headers['location']));
    canaries.keep(...page.cookies.values(), parameters.get('code') ?? '');
    return parameters;
  };
  provider.lies = { claims: { sub: canaries.mint('pers'), email } };
  const refused = await page.ask(
    'GET',
    `/dashboard/oidc/callback?${(await back()).toString()}&iss=${canaries.mint('sent')}`,
  );
  const accepted = await page.ask('GET', `/dashboard/oidc/callback?${(await back()).toString()}`);
  const [, link = ''] = /#\/enter\/([\w-]+)$/.exec(String(accepted.headers['location'])) ?? [];
  canaries.keep(...page.cookies.values(), link);
  await browserOf(ground).enter({ link });
  await page.lookAt(link);
  const entered = await page.enter({ link });
  canaries.keep(...page.cookies.values());
  return [
    ...expecting(refused.status, 302, 'a forged answer of the identity provider'),
    ...expecting(entered.status, 200, 'an entry of the identity provider'),
    ...expecting((await page.enter({ link })).status, 422, 'a used entry'),
  ];
}

/** The address by which people know the service: alone it decides which page is the service's own. */
export const PUBLIC_URL = 'http://localhost:3000';

function browserOf({ asker }: SignInGround): Browser {
  const send = async ({ method, url, headers, body }: BrowserRequest): Promise<BrowserAnswer> => {
    const answer = await asker.ask(url, { method, headers, body, mayName: true });
    const setCookies = answer.headers.getSetCookie();
    const json = answer.body === '' ? {} : (JSON.parse(answer.body) as object);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), setCookies, body: json };
  };
  return new Browser(send, { origin: PUBLIC_URL });
}

async function mailedCode(sink: SmtpSink, email: string): Promise<string> {
  const find = () =>
    sink.mails
      .filter(({ to }) => to.includes(email))
      .map(({ raw }) => codeIn(raw))
      .find((code) => code !== '');
  for (const giveUpAt = performance.now() + 20_000; performance.now() < giveUpAt; await delay(20)) {
    const code = find();
    if (code !== undefined) return code;
  }
  throw new Error('The mail of a code did not arrive');
}

function expecting(status: number, expected: number, what: string): string[] {
  return status === expected ? [] : [`${what} was answered ${status}`];
}
