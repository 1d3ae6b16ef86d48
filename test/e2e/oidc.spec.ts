import { SignInService, type SignInResult } from '@app/application';
import { SignInInvalid } from '@app/domain';
import { parseSetCookie } from 'cookie';
import { generateKeyPair, SignJWT } from 'jose';
import type { ServerResponse } from 'node:http';
import {
  CLIENT,
  fiveMegabytes,
  keyConfusion,
  LyingProvider,
  redirect,
  unsigned,
  type Lies,
} from '../support/lying-provider.js';
import { RealProvider } from '../support/real-provider.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const PUBLIC_URL = 'http://localhost:3000';
const REFUSED = './../#/sign-in/refused/refused';
const UNAVAILABLE = './../#/sign-in/refused/unavailable';
const NOT_ADDED = './../#/sign-in/refused/not_added';
const OTHER_ACCOUNT = './../#/sign-in/refused/other_account';
const ENTERS = /^\.\/\.\.\/#\/enter\/([\w-]{43})$/;

const lines: string[] = [];
let lying: LyingProvider;
let api: RunningApi;
beforeAll(async () => {
  lying = await LyingProvider.start();
  api = await startApi(oidcAt(lying.issuer), lines);
});
afterAll(async () => {
  await api.stop();
  await lying.stop();
});
beforeEach(async () => {
  await api.database.query('DELETE FROM sign_ins');
  lying.lies = {};
  lines.length = 0;
});

afterEach(() => vi.restoreAllMocks());

function oidcAt(issuer: string): Record<string, string> {
  return { PUBLIC_URL, OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
}

type Cookies = Readonly<Record<string, string>>;

/** Sends a request like the browser of a person on this machine. */
async function visit(path: string, cookies: Cookies = {}, at = api) {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const headers = { host: 'localhost:3000', ...(cookie.length > 0 && { cookie: cookie.join('; ') }) };
  const response = await at.inject({ url: `/dashboard/oidc/${path}`, headers });
  const set = [response.headers['set-cookie'] ?? []].flat().map((line) => parseSetCookie(line));
  const kept = Object.fromEntries(set.map(({ name, value = '' }) => [name, value]));
  return { response, set, cookies: kept, location: String(response.headers.location) };
}

/** Signs in at the provider. @returns what comes back to the browser. */
async function atProvider(email: string, lies: Lies = {}) {
  const { location, cookies } = await visit('start');
  lying.lies = { ...lies, claims: { sub: `subject of ${email}`, email, ...lies.claims } };
  return { back: lying.signIn(location), cookies };
}

const comeBack = (back: URLSearchParams, cookies?: Cookies) => visit(`callback?${back.toString()}`, cookies);

async function signIn(email: string, lies?: Lies) {
  const { back, cookies } = await atProvider(email, lies);
  return comeBack(back, cookies);
}

/** Does what the page does with the token in its address. */
function enter({ location, cookies }: { location: string; cookies: Cookies }, at = api): Promise<SignInResult> {
  const [, link = ''] = ENTERS.exec(location) ?? [];
  const browser = { nonce: cookies[`signin-${link.slice(0, 8)}`], address: '192.0.2.1', device: '', sessions: [] };
  return at.app.get(SignInService).enter({ link }, browser, undefined) as Promise<SignInResult>;
}

const stateOf = (location: string) => new URL(location).searchParams.get('state') ?? '';
const oidcCookie = (state: string | null) => `oidc-${state?.slice(0, 8)}`;

const INVALID = 'OAUTH_INVALID_RESPONSE';
const DENIED = 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';

/** Sets a parameter, or removes it when there is no value. */
function set(back: URLSearchParams, cookies: Cookies, name: string, value?: string): Cookies {
  if (value === undefined) back.delete(name);
  else back.set(name, value);
  return cookies;
}

const underAnotherKey =
  (kid: string) =>
  async (claims: Record<string, unknown>): Promise<string> => {
    const { privateKey } = await generateKeyPair('RS256');
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
  };

const withoutIdToken = (response: ServerResponse): unknown =>
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ access_token: 'access', token_type: 'bearer' }));

const aPerson = () => api.store.session('owner');

/** Expects one text, nothing to sign in with, and nothing in the log but a word. */
async function expectFailure({ location, cookies }: Awaited<ReturnType<typeof visit>>, reason: string, to = REFUSED) {
  expect(location).toBe(to);
  expect(Object.keys(cookies).filter((name) => name.startsWith('signin'))).toEqual([]);
  expect(await api.database.query('SELECT 1 FROM sign_ins')).toEqual([]);
  const logged = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg !== 'request');
  const outcome = to.split('/').at(-1);
  const fields = { level: 40, time: expect.any(String) as string, request_id: expect.any(String) as string };
  expect(logged).toEqual([{ ...fields, msg: `sign-in by OIDC ${outcome}`, outcome: reason }]);
}

describe('sign-in by OIDC', () => {
  it('signs in whose verified e-mail it is, only in the browser that began', async () => {
    const { email, name } = await aPerson();
    const entry = await signIn(email.toUpperCase());

    await expect(enter({ ...entry, cookies: {} })).rejects.toBeInstanceOf(SignInInvalid);
    expect(await enter(entry)).toMatchObject({ person: { email, name, role: 'owner' } });
    await expect(enter(entry)).rejects.toBeInstanceOf(SignInInvalid);
  });

  it('keeps what it must remember in cookies that no script reads, for 10 minutes', async () => {
    const begun = await visit('start');
    const { back, cookies } = await atProvider((await aPerson()).email);
    const ended = await comeBack(back, cookies);
    const [begunName, endedName] = [oidcCookie(stateOf(begun.location)), oidcCookie(back.get('state'))];

    const attributes = { path: '/', httpOnly: true, sameSite: 'lax' };
    expect(begun.set).toEqual([expect.objectContaining({ name: begunName, maxAge: 600, ...attributes })]);
    expect(ended.set).toEqual([
      expect.objectContaining({ name: endedName, value: '', maxAge: 0, ...attributes }),
      expect.objectContaining({
        name: `signin-${ENTERS.exec(ended.location)?.[1]?.slice(0, 8)}`,
        maxAge: 600,
        ...attributes,
      }),
    ]);
    for (const { response } of [begun, ended]) {
      expect([response.statusCode, response.headers['cache-control']]).toEqual([302, 'no-store']);
    }
  });

  it('signs in two tabs of a browser at once', async () => {
    const { email } = await aPerson();
    lying.lies = { claims: { sub: `subject of ${email}`, email } };
    const begun = [await visit('start'), await visit('start')];
    let cookies: Cookies = Object.assign({}, ...begun.map((tab) => tab.cookies)) as Cookies;
    const links: string[] = [];
    for (const { location } of begun) {
      const ended = await comeBack(lying.signIn(location), cookies);
      cookies = { ...cookies, ...ended.cookies };
      links.push(ENTERS.exec(ended.location)?.[1] ?? '');
    }
    const post = async (path: string, link: string | undefined) => {
      const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
      const headers = { host: 'localhost:3000', cookie: cookie.join('; ') };
      const response = await api.inject({ method: 'POST', url: `/dashboard/${path}`, headers, payload: { link } });
      return { status: response.statusCode, set: [response.headers['set-cookie'] ?? []].flat() };
    };

    for (const link of links) {
      expect((await post('sign-in/link', link)).status).toBe(200);
      const { status, set: sent } = await post('session', link);
      expect([status, sent.at(-1)]).toEqual([
        200,
        expect.stringMatching(`^signin-${link.slice(0, 8)}=; Max-Age=0;`) as string,
      ]);
    }
  });

  it('keeps the cookies of the last five tabs, and of no other name', async () => {
    let cookies: Cookies = { 'oidc-of another': 'x', signin: 'x' };
    const states: string[] = [];
    for (let tab = 0; tab < 6; tab++) {
      const { set: sent, location } = await visit('start', cookies);
      states.push(stateOf(location));
      const gone = sent.filter(({ maxAge }) => maxAge === 0).map(({ name }) => name);
      const kept = Object.entries(cookies).filter(([name]) => !gone.includes(name));
      const added = sent.filter(({ maxAge }) => maxAge !== 0).map(({ name, value = '' }) => [name, value] as const);
      cookies = Object.fromEntries([...kept, ...added]);
    }

    expect(Object.keys(cookies)).toEqual(['oidc-of another', 'signin', ...states.slice(1).map(oidcCookie)]);
  });

  it.each(['cross-site', 'same-site'])('begins nothing for a page that is %s, and shows its own', async (site) => {
    const headers = { host: 'localhost:3000', 'sec-fetch-site': site };
    const response = await api.inject({ url: '/dashboard/oidc/start', headers });

    expect([response.statusCode, response.headers.location, response.headers['set-cookie']]).toEqual([
      302,
      './../',
      undefined,
    ]);
  });

  it('asks for nothing but the address of the configuration, whatever the host of the request', async () => {
    const { response } = await visit('start');
    const other = await api.inject({ url: '/dashboard/oidc/start', headers: { host: 'evil.example' } });

    for (const { headers } of [response, other]) {
      const { searchParams } = new URL(String(headers.location));
      expect(searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/dashboard/oidc/callback`);
    }
  });

  it('finds the e-mail at the userinfo endpoint when the ID token has none', async () => {
    const { email } = await aPerson();
    const userinfo = { sub: `subject of ${email}`, email };

    expect(await enter(await signIn(email, { claims: { email: undefined }, userinfo }))).toMatchObject({
      person: { email },
    });
  });

  const past = Math.floor(Date.now() / 1_000) - 120;
  const future = past + 420;
  const CLAIM = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED';
  const TIME = 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';
  const UNVERIFIED = 'email_not_verified';
  const withoutEmail = { email: undefined };

  it.each<[string, Lies, string]>([
    ['an ID token for another audience', { claims: { aud: 'another' } }, CLAIM],
    ['an expired ID token', { claims: { exp: past } }, TIME],
    ['an ID token that is not yet valid', { claims: { nbf: future } }, TIME],
    ['an ID token of another issuer', { claims: { iss: 'https://evil.example' } }, CLAIM],
    ['another nonce', { claims: { nonce: 'of another' } }, CLAIM],
    ['no nonce', { claims: { nonce: undefined } }, 'OAUTH_INVALID_RESPONSE'],
    ['an unsigned ID token', { sign: unsigned }, 'OAUTH_UNSUPPORTED_OPERATION'],
    ['an ID token with HS256 under the public key', { sign: keyConfusion }, 'OAUTH_UNSUPPORTED_OPERATION'],
    ['an ID token under another key', { sign: underAnotherKey('a') }, 'OAUTH_INVALID_RESPONSE'],
    ['an ID token under a key that it does not publish', { sign: underAnotherKey('z') }, 'OAUTH_KEY_SELECTION_FAILED'],
    ['an e-mail that is not verified', { claims: { email_verified: false } }, UNVERIFIED],
    ['an e-mail of which it says nothing', { claims: { email_verified: undefined } }, UNVERIFIED],
    ['an e-mail whose verification is the text "true"', { claims: { email_verified: 'true' } }, UNVERIFIED],
    ['a list of e-mails', { claims: { email: ['ada@shop.example'] } }, UNVERIFIED],
    ['no e-mail', { claims: withoutEmail, userinfo: { ...withoutEmail, sub: 'a' } }, UNVERIFIED],
    [
      'userinfo of another subject',
      { claims: { ...withoutEmail, sub: 'b' } },
      'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
    ],
    ['an e-mail with a blank', { claims: { email: ' ada@shop.example' } }, 'email_not_plain'],
    ['an e-mail with a line break', { claims: { email: 'ada@shop.example\n' } }, 'email_not_plain'],
    ['an e-mail with NUL', { claims: { email: 'ada\0@shop.example' } }, 'email_not_plain'],
    ['an e-mail of 255 bytes', { claims: { email: `${'a'.repeat(64)}@${'b.'.repeat(93)}test` } }, 'email_not_plain'],
    ['no subject', { claims: { sub: '' } }, 'subject_not_valid'],
    ['a subject of 256 characters', { claims: { sub: 'a'.repeat(256) } }, 'subject_not_valid'],
    ['a subject with NUL', { claims: { sub: 'a\0' } }, 'subject_not_valid'],
    ['no ID token', { answers: { '/token': withoutIdToken } }, 'OAUTH_INVALID_RESPONSE'],
    ['a redirect', { answers: { '/token': redirect } }, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  ])('refuses a provider that sends %s', async (_what, lies, reason) => {
    const { email } = await aPerson();
    const { userinfo } = lies;
    const same = userinfo?.['sub'] === undefined ? lies : { ...lies, claims: { ...lies.claims, sub: userinfo['sub'] } };

    await expectFailure(await signIn(email, same), reason);
  });

  it.each<[string, Lies, string]>([
    ['is down', { answers: { '/token': (response) => response.writeHead(503).end() } }, 'status_503'],
    ['sends 5 MB', { answers: { '/token': fiveMegabytes } }, 'answer_too_long'],
    ['is silent', { answers: { '/token': () => undefined } }, 'TimeoutError'],
  ])('names a provider that %s', async (_what, lies, reason) => {
    const { email } = await aPerson();
    const from = performance.now();

    await expectFailure(await signIn(email, lies), reason, UNAVAILABLE);
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  it.each<[string, (back: URLSearchParams, cookies: Cookies) => Cookies | Promise<Cookies>, string]>([
    ['without the cookie', () => ({}), 'no_cookie'],
    ['in another browser', async () => (await visit('start')).cookies, 'no_cookie'],
    [
      'with the state of another browser',
      (back, cookies) => set(back, cookies, 'state', `${back.get('state')?.slice(0, 8)}of another`),
      INVALID,
    ],
    ['without the state', (back, cookies) => set(back, cookies, 'state'), 'no_cookie'],
    ['with a state that no cookie can have', (back, cookies) => set(back, cookies, 'state', 'a;b='), 'no_cookie'],
    ['without the code', (back, cookies) => set(back, cookies, 'code'), INVALID],
    ['from another provider', (back, cookies) => set(back, cookies, 'iss', 'https://evil.example'), INVALID],
    ['with a refusal', (back, cookies) => set(back, cookies, 'error', 'access_denied'), DENIED],
    ['with a cookie of another form', (back) => ({ [oidcCookie(back.get('state'))]: 'x' }), INVALID],
  ])('refuses a browser that comes back %s', async (_what, change, reason) => {
    const { back, cookies } = await atProvider((await aPerson()).email);
    const changed = await change(back, cookies);

    await expectFailure(await comeBack(back, changed), reason);
  });

  it('sends nobody to the accounts of every company that a tenant of Microsoft names', async () => {
    const tenant = await startApi(oidcAt('https://login.microsoftonline.com/shop.example/v2.0'), lines);
    lines.length = 0;
    const metadata = { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' };
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(Response.json(metadata)));

    await expectFailure(await visit('start', {}, tenant), 'other_issuer', UNAVAILABLE);
    await tenant.stop();
  });

  it('waits for the provider in 4 requests of a network at a time, and lets other networks begin', async () => {
    const { back, cookies } = await atProvider((await aPerson()).email, { answers: { '/token': () => undefined } });
    const visits = Array.from({ length: 5 }, () => comeBack(back, cookies));
    const from = performance.now();
    const start = await api.inject({
      url: '/dashboard/oidc/start',
      headers: { host: 'localhost:3000' },
      remoteAddress: '192.0.2.7',
    });

    expect(start.headers.location).toContain('/authorize?');
    expect(performance.now() - from).toBeLessThan(2_000);
    await expectFailure(await Promise.race(visits), 'too_many', UNAVAILABLE);
    await Promise.all(visits);
    expect((await visit('start')).location).toContain('/authorize?');
  });

  it('makes no more than 60 entries for an e-mail within an hour', async () => {
    const { email } = await aPerson();
    const earlier = (count: number, age: string) =>
      api.database.query(
        `INSERT INTO sign_ins (id, kind, email, oidc_issuer, oidc_subject, secret_hash, created_at, expires_at)
         SELECT gen_random_uuid(), 'oidc', $1, 'issuer', 'subject', sha256(gen_random_uuid()::text::bytea), now() - $2::interval, now()
         FROM generate_series(1, $3)`,
        [email, age, count],
      );
    await earlier(60, '61 minutes');
    await earlier(59, '59 minutes');

    expect((await signIn(email)).location).toMatch(ENTERS);
    expect(await signIn(email)).toMatchObject({ location: UNAVAILABLE });
    expect(lines.join()).toContain('"outcome":"too_often"');
  });

  it('signs in the account that signed in first, whatever its e-mail, and no other account of that e-mail', async () => {
    const { email, name } = await aPerson();
    await enter(await signIn(email));
    const other = await signIn(email, { claims: { sub: `another subject of ${email}` } });
    const renamed = await signIn('renamed@shop.example', { claims: { sub: `subject of ${email}` } });

    expect(other.location).toBe(OTHER_ACCOUNT);
    expect(await enter(renamed)).toMatchObject({ person: { email, name } });
  });

  it('names an account that no person has, also where another letter becomes one of the e-mail in lower case', async () => {
    const { email } = await aPerson();
    await api.database.query('UPDATE people SET email = $1 WHERE email = $2', [`kim-${email}`, email]);

    await expectFailure(await signIn(`\u212aim-${email}`, { claims: { sub: 'kim' } }), 'not_added', NOT_ADDED);
  });

  it('names the account of a person who is pinned to another one', async () => {
    const { email } = await aPerson();
    await enter(await signIn(email));
    await api.database.query('DELETE FROM sign_ins');

    await expectFailure(
      await signIn(email, { claims: { sub: `another subject of ${email}` } }),
      'other_account',
      OTHER_ACCOUNT,
    );
  });

  it('takes the e-mail of a provider that says nothing of it with OIDC_TRUST_EMAIL, for the first sign-in of a person', async () => {
    const trusting = await startApi({ ...oidcAt(lying.issuer), OIDC_TRUST_EMAIL: 'on' }, lines);
    const { email, name } = await trusting.store.session('manager');
    const signInThere = async (claims: Record<string, unknown>) => {
      const { location, cookies } = await visit('start', {}, trusting);
      lying.lies = { claims: { sub: 'subject of a tenant', email, email_verified: undefined, ...claims } };
      return visit(`callback?${lying.signIn(location).toString()}`, cookies, trusting);
    };

    expect((await signInThere({ email: `not-${email}` })).location).toBe(NOT_ADDED);
    expect((await signInThere({ email_verified: false })).location).toBe(REFUSED);
    expect((await signInThere({ email_verified: 'true' })).location).toBe(REFUSED);
    expect(await enter(await signInThere({}), trusting)).toMatchObject({ person: { email, name, role: 'manager' } });
    expect((await signInThere({ sub: 'another subject' })).location).toBe(OTHER_ACCOUNT);
    expect(await enter(await signInThere({ email: 'renamed@shop.example' }), trusting)).toMatchObject({
      person: { email },
    });
    await trusting.stop();
  });

  it('is one of the ways to sign in', async () => {
    const { statusCode, body } = await api.inject({ url: '/dashboard/sign-in', headers: { host: 'localhost:3000' } });

    expect([statusCode, JSON.parse(body)]).toMatchObject([200, { data: { private: true, code: true, oidc: true } }]);
  });

  it('is not there without a provider', async () => {
    const without = await startApi();
    const { response } = await visit('start', {}, without);

    expect(response.statusCode).toBe(404);
    await without.stop();
  });
});

describe('with a real provider', () => {
  let real: RealProvider;
  let itsApi: RunningApi;
  beforeAll(async () => {
    real = await RealProvider.start(`${PUBLIC_URL}/dashboard/oidc/callback`);
    itsApi = await startApi({ ...oidcAt(real.issuer), SIGN_IN: 'oidc' });
  });
  afterAll(async () => {
    await itsApi.stop();
    await real.stop();
  });

  it('signs in once for a code', async () => {
    const { email, name } = await itsApi.store.session('manager');
    real.email = email;
    const { location, cookies } = await visit('start', {}, itsApi);
    const { search } = await real.signIn(location);

    const entry = await visit(`callback${search}`, cookies, itsApi);
    const replayed = await visit(`callback${search}`, cookies, itsApi);

    expect(await enter(entry, itsApi)).toMatchObject({ person: { email, name, role: 'manager' } });
    expect(replayed.location).toBe(REFUSED);
  });

  it('is the only way with SIGN_IN=oidc, which mails no code, besides the link of the command line', async () => {
    const { email, name } = await itsApi.store.session('viewer');
    const headers = { host: 'localhost:3000' };
    const ways = await itsApi.inject({ url: '/dashboard/sign-in', headers });
    const code = await itsApi.inject({ method: 'POST', url: '/dashboard/sign-in/code', headers, payload: { email } });
    const { token } = await itsApi.app.get(SignInService).makeLink(email);

    expect(JSON.parse(ways.body)).toMatchObject({ data: { code: false, oidc: true } });
    expect([code.statusCode, code.headers['set-cookie']]).toEqual([404, undefined]);
    expect(await enter({ location: `./../#/enter/${token}`, cookies: {} }, itsApi)).toMatchObject({ person: { name } });
  });
});
