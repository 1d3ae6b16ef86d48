import { composeSessionSecret } from '@app/domain';
import { DataCipher } from '@app/infrastructure';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { Browser, codeIn, type BrowserAnswer, type SendRequest } from '../support/browser.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { readMail } from '../support/mail-message.js';
import { openTransaction } from '../support/open-transaction.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let smtp: SmtpSink;
let api: RunningApi;
beforeAll(async () => {
  smtp = await SmtpSink.start();
  api = await startApi({ TRUST_PROXY: '1', PIPELINE: 'inline', SMTP_URL: smtp.url });
});
afterAll(async () => {
  await api.stop();
  await smtp.close();
});
afterEach(() => (smtp.behaviour = { kind: 'accept' }));

const send: SendRequest = async ({ method, url, headers, body }) => {
  const response = await api.inject({ method, url, headers, ...(body && { payload: body }) });
  const setCookies = [response.headers['set-cookie'] ?? []].flat();
  return { status: response.statusCode, headers: response.headers, setCookies, body: response.json<object>() };
};
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const { cli } = commandLine(() => api.database);
let networks = 0;
/** Returns a browser in a network of its own. */
const browser = (more: Record<string, string> = {}) =>
  new Browser(send, {
    host: 'shop.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': `203.0.113.${++networks}`,
    origin: 'https://shop.example',
    'sec-fetch-site': 'same-origin',
    'user-agent': FIREFOX,
    ...more,
  });

const aNonce = () => ({ cookie: `__Host-signin=${uuidv7()}` });
/** Well formed, and of nobody. */
const aSession = () => ({ cookie: `__Host-store-live=${composeSessionSecret(Array<number>(32).fill(0))}` });

const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email)).map(({ raw }) => raw);

async function mailedCode(page: Browser, email: string): Promise<string> {
  const before = mailsTo(email).length;
  expect((await page.requestCode(email)).status).toBe(200);
  await eventually(() => expect(mailsTo(email)).toHaveLength(before + 1));
  return codeIn(mailsTo(email).at(-1) ?? '');
}

async function linkOf(email: string): Promise<string> {
  const { json } = await cli(['people', 'sign-in', email]);
  return (json as { link: string }).link.replace(/.*#\/enter\//, '');
}

it('a proxy that is not trusted is named in the log once', async () => {
  const lines: string[] = [];
  const untrusting = await startApi({}, lines);
  const headers = { host: 'shop.example', 'x-forwarded-proto': 'https' };
  for (let i = 0; i < 3; i++) await untrusting.inject({ url: '/dashboard/sign-in', headers });
  await untrusting.stop();

  const warnings = lines.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((msg) => /^X-Forw/.test(msg));
  expect(warnings).toEqual(['X-Forwarded-Proto: https is not trusted, so people cannot sign in: set TRUST_PROXY']);
});

describe('a mailed code', () => {
  it('signs in the person in the browser that asked for it, in both modes', async () => {
    const { email, name } = await api.store.session('warehouse');
    const page = browser();
    const code = await mailedCode(page, email);

    const entered = await page.enter({ code: code.toLowerCase() });

    const { subdomain } = api.store;
    expect([entered.status, entered.body]).toEqual([
      200,
      {
        success: true,
        data: {
          person: { name, email, role: 'warehouse' },
          store: { subdomain, name: expect.any(String) as string },
          expires_at: expect.any(String) as string,
        },
      },
    ]);
    for (const mode of ['live', 'test']) {
      expect((await page.read('/v1/key', mode)).body.data).toMatchObject({
        mode,
        person: { email, role: 'warehouse' },
      });
    }
    const [person] = await api.database.query('SELECT last_sign_in_at FROM people WHERE email = $1', [email]);
    expect(person).toEqual({ last_sign_in_at: expect.any(Date) as Date });
  });

  it('sets cookies that no script, no other site and no plain http gets, and removes that of the request', async () => {
    const { email } = await api.store.session('owner');
    const page = browser();
    const asked = await page.requestCode(email);
    await eventually(() => expect(mailsTo(email)).toHaveLength(1));
    const entered = await page.enter({ code: codeIn(mailsTo(email)[0] ?? '') });

    expect(asked.setCookies).toEqual([
      expect.stringMatching(/^__Host-signin=[\w-]{22}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    expect(entered.setCookies).toEqual([
      ...['live', 'test'].map((mode): unknown =>
        expect.stringMatching(
          new RegExp(
            `^__Host-store-${mode}=svc_sess_\\w{38}; Max-Age=43200; Path=/; HttpOnly; Secure; SameSite=Strict$`,
          ),
        ),
      ),
      '__Host-signin=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    for (const { headers } of [asked, entered]) expect(headers['cache-control']).toBe('no-store');
  });

  it('comes in a mail with the name of the store and without a link', async () => {
    const { email } = await api.store.session('owner');
    const [store] = await api.database.query<{ name: string }>('SELECT name FROM stores WHERE id = $1', [api.store.id]);
    await mailedCode(browser(), email);
    const raw = mailsTo(email)[0] ?? '';

    expect(readMail(raw).headers.get('subject')).toEqual([`Your code to sign in to ${store?.name}`]);
    expect(raw).not.toMatch(/https?:|shop\.example/);
  });

  it('is not mailed to an address that no person has, and the answer is the same', async () => {
    const [stranger, { email }] = [`${uuidv7()}@example.com`, await api.store.session('owner')];
    const [unknown, known] = [await browser().requestCode(stranger), await browser().requestCode(email)];
    await eventually(() => expect(mailsTo(email)).toHaveLength(1));
    const headersOf = ({ headers }: typeof known) => ({ ...headers, 'set-cookie': '', date: '', 'x-request-id': '' });

    expect([unknown.status, unknown.body]).toEqual([known.status, known.body]);
    expect(headersOf(unknown)).toEqual(headersOf(known));
    expect(unknown.setCookies).toHaveLength(1);
    await eventually(async () => {
      const rows = await api.database.query('SELECT mail_code FROM sign_ins WHERE email = $1', [stranger]);
      expect(rows).toEqual([{ mail_code: null }]);
    });
    expect(smtp.recipients).not.toContain(stranger);
  });

  it('is asked for by one network without the connections and slots of others', async () => {
    const crowd = '198.51.100.77';
    const lock = await openTransaction(
      api.database,
      `SELECT pg_advisory_xact_lock(hashtext('sign_in_network'), hashtext('${crowd}'))`,
    );
    const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status;
    const ask = (page: Browser) => statusOf(page.requestCode(`${uuidv7()}@example.com`));
    const asking = Array.from({ length: 100 }, () => ask(browser({ 'x-forwarded-for': crowd })));
    const waiting = () => lockWaits(api.database, '%sign_ins.lock_limits%');
    await eventually(async () => expect(await waiting()).toBe(1));

    const others = await Promise.all(Array.from({ length: 5 }, () => ask(browser())));
    const reads = await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store')));

    expect(await waiting()).toBe(1);
    await lock.end();
    expect(others).toEqual(others.map(() => 200));
    expect(reads.map(({ statusCode }) => statusCode)).toEqual(reads.map(() => 200));
    const statuses = await Promise.all(asking);
    expect([...new Set(statuses)].sort()).toEqual([200, 429]);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(20);
  });

  it.each<[what: string, statement: string, status: number, ask: (page: Browser) => Promise<BrowserAnswer>]>([
    [
      'codes',
      'sign_ins.count_attempt',
      422,
      (page) => page.ask('POST', '/dashboard/session', { code: '0000-0000' }, aNonce()),
    ],
    ['links', 'sign_ins.find_token', 422, (page) => page.enter({ link: uuidv7() })],
    ['looks at links', 'sign_ins.find_token', 422, (page) => page.lookAt(uuidv7())],
    [
      'ends of sessions',
      'sessions.end',
      200,
      (page) => page.ask('DELETE', '/dashboard/session', undefined, aSession()),
    ],
  ])('leaves connections to the keys of stores while one network sends %s', async (_what, statement, status, ask) => {
    const lock = await openTransaction(
      api.database,
      'LOCK TABLE sign_ins IN ACCESS EXCLUSIVE MODE; LOCK TABLE api_keys IN EXCLUSIVE MODE',
    );
    const crowd = browser();
    const asking = Array.from({ length: 100 }, () => ask(crowd));
    const waiting = () => lockWaits(api.database, `%${statement}%`);
    await eventually(async () => expect(await waiting()).toBeGreaterThan(0));

    const reads = await Promise.all(Array.from({ length: 20 }, () => api.get('/v1/store')));

    expect(await waiting()).toBe(1);
    await lock.end();
    expect(reads.map(({ statusCode }) => statusCode)).toEqual(reads.map(() => 200));
    const statuses = new Set((await Promise.all(asking)).map(({ status }) => status));
    expect([...statuses].sort()).toEqual([status, 503]);
  });

  it('is refused in another browser, and after five wrong ones, with one text', async () => {
    const { email } = await api.store.session('owner');
    const [page, other] = [browser(), browser()];
    const code = await mailedCode(page, email);
    await other.requestCode(`${uuidv7()}@example.com`);
    const refusals = [await other.enter({ code }), await browser().enter({ code })];
    for (let i = 0; i < 5; i++) refusals.push(await page.enter({ code: '0000-0000' }));
    refusals.push(await page.enter({ code }));

    expect(new Set(refusals.map(({ body }) => body.error)).size).toBe(1);
    expect(refusals.map(({ status, headers }) => [status, headers['x-error-code']])).toEqual(
      refusals.map(() => [422, 'sign_in_invalid']),
    );
  });

  it('is sent three times an hour to an address, whether a person has it or not', async () => {
    for (const email of [(await api.store.session('owner')).email, `${uuidv7()}@example.com`]) {
      for (let i = 0; i < 3; i++) expect((await browser().requestCode(email)).status).toBe(200);
      const refused = await browser().requestCode(email.toUpperCase());

      expect([refused.status, refused.headers['x-error-code'], refused.setCookies]).toEqual([429, 'throttled', []]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    }
  });

  it('lets a person of several stores choose', async () => {
    const other = await StoreFixture.create(api.database);
    const { email } = await api.store.session('owner');
    await other.row('people', { id: uuidv7(), email, name: 'Ada', role: 'viewer', invite_due: false });
    const page = browser();
    const code = await mailedCode(page, email);

    const chosen = await page.enter({ code });
    const entered = await page.enter({ code }, other.subdomain);

    expect(mailsTo(email)[0]).toContain('the store dashboard');
    const subdomains = [api.store.subdomain, other.subdomain].map((subdomain) => ({ subdomain }));
    expect(chosen).toMatchObject({ status: 200, setCookies: [], body: { data: { stores: subdomains } } });
    expect(entered.body.data).toMatchObject({ person: { role: 'viewer' }, store: { subdomain: other.subdomain } });
  });

  it('is mailed when the mail server works again', async () => {
    const { email } = await api.store.session('owner');
    smtp.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    const page = browser();
    await page.requestCode(email);
    await eventually(async () => {
      const rows = await api.database.query('SELECT mail_attempts FROM sign_ins WHERE email = $1', [email]);
      expect(rows).toEqual([{ mail_attempts: 2 }]);
    });
    smtp.behaviour = { kind: 'accept' };

    await eventually(() => expect(mailsTo(email)).toHaveLength(1));
    expect((await page.enter({ code: codeIn(mailsTo(email)[0] ?? '') })).status).toBe(200);
  });

  it.each([
    ['has ended', "mail_due_at = now(), expires_at = now() + interval '30 seconds'"],
    ['cannot be decrypted', "mail_due_at = now(), mail_code = '\\x00'"],
  ])('that %s is not mailed, and holds up no other', async (_what, set) => {
    const { email } = await api.store.session('owner');
    const ids = Array.from({ length: 12 }, () => uuidv7());
    const cipher = api.app.get(DataCipher);
    for (const id of ids) {
      const row = { id, kind: 'code', email, secret_hash: cipher.encrypt(id, id).subarray(0, 32) };
      await api.database.query(
        `INSERT INTO sign_ins (id, kind, email, secret_hash, mail_code, mail_due_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, now() + interval '1 hour', now() + interval '10 minutes')`,
        [...Object.values(row), cipher.encrypt('K7QM2XRD', `sign_ins/${id}/mail_code`)],
      );
    }
    await api.database.query(`UPDATE sign_ins SET ${set} WHERE id = ANY ($1)`, [ids]);
    const other = await api.store.session('owner');
    await mailedCode(browser(), other.email);

    await eventually(async () => {
      const rows = await api.database.query('SELECT DISTINCT mail_code FROM sign_ins WHERE id = ANY ($1)', [ids]);
      expect(rows).toEqual([{ mail_code: null }]);
    });
    expect(mailsTo(email)).toEqual([]);
  });
});

describe('a link of the command line', () => {
  it('signs in any browser once, and shows before as whom and where', async () => {
    const { email, name } = await api.store.session('manager');
    const link = await linkOf(email);
    const page = browser();

    for (let i = 0; i < 2; i++) {
      expect((await page.lookAt(link)).body.data).toMatchObject({
        person: { name },
        stores: [{ subdomain: api.store.subdomain }],
      });
    }
    expect((await page.enter({ link })).body.data).toMatchObject({ person: { email, role: 'manager' } });
    expect((await browser().enter({ link })).headers['x-error-code']).toBe('sign_in_invalid');
    expect((await page.lookAt(link)).headers['x-error-code']).toBe('sign_in_invalid');
  });

  it.each([
    [{ PUBLIC_URL: 'https://shop.example/' }, 'https://shop.example/dashboard/#/enter/'],
    [{ PORT: '3005' }, 'http://127.0.0.1:3005/dashboard/#/enter/'],
  ])('with %j begins with %s', async (env, beginning) => {
    const { email } = await api.store.session('owner');
    const { json, stderr } = await cli(['people', 'sign-in', email], env);

    const { subdomain } = api.store;
    const link = expect.stringMatching(/\/#\/enter\/[\w-]{43}$/) as string;
    expect(json).toEqual({ link, expires_at: expect.any(String) as string, stores: [subdomain] });
    expect((json as { link: string }).link.startsWith(beginning)).toBe(true);
    expect(stderr).toBe('The link works once and expires in 15 minutes.\n');
  });

  it('is not made for an address that no person has', async () => {
    const { code, stderr } = await cli(['people', 'sign-in', 'stranger@example.com']);

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Person with this e-mail in an active store not found'),
    ]);
  });
});

describe('a session', () => {
  async function signedIn(page = browser()) {
    const { email, id } = await api.store.session('owner');
    await page.enter({ link: await linkOf(email) });
    return { page, id, email };
  }

  it('ends by a sign-out, in both modes', async () => {
    const { page } = await signedIn();
    const cookies = [...page.cookies];

    expect((await page.signOut()).body).toEqual({ success: true, data: {} });
    expect([...page.cookies]).toEqual([]);
    for (const [name, value] of cookies) page.cookies.set(name, value);
    for (const mode of ['live', 'test']) expect((await page.read('/v1/key', mode)).status).toBe(401);
    expect((await browser().signOut()).status).toBe(200);
  });

  it('ends when the same browser signs in again, and has the device of its browser', async () => {
    const { page } = await signedIn();
    const before = new Map(page.cookies);
    const { id } = await signedIn(page);
    const devices = await api.database.query(
      "SELECT DISTINCT device FROM api_keys WHERE person_id = $1 AND device <> ''",
      [id],
    );

    expect(devices).toEqual([{ device: 'Firefox, Linux' }]);
    expect((await page.read()).status).toBe(200);
    for (const [name, value] of before) page.cookies.set(name, value);
    expect((await page.read()).status).toBe(401);
  });

  it('ends when the person has signed in in 50 other browsers since', async () => {
    const { page, id, email } = await signedIn();
    await api.database.query(
      `INSERT INTO api_keys (store_id, person_id, id, mode, key_hash, last_four, prefix, scope, expires_at, created_by, created_at)
       SELECT store_id, person_id, gen_random_uuid(), mode, sha256(gen_random_uuid()::text::bytea), last_four, prefix, scope, expires_at,
         created_by, now() + n * interval '1 ms'
       FROM (SELECT * FROM api_keys WHERE person_id = $1 ORDER BY created_at DESC LIMIT 2) AS last, generate_series(1, 49) AS n`,
      [id],
    );
    expect((await page.read()).status).toBe(200);

    const last = browser();
    await last.enter({ link: await linkOf(email) });

    expect((await last.read()).status).toBe(200);
    expect((await page.read()).status).toBe(401);
    expect(await api.database.query('SELECT count(*)::int FROM api_keys WHERE person_id = $1', [id])).toEqual([
      { count: 100 },
    ]);
  });

  it('ends with the person, and follows a change of the role', async () => {
    const { page, id } = await signedIn();
    await api.database.query("UPDATE people SET role = 'viewer' WHERE id = $1", [id]);
    expect((await page.read()).body.data).toMatchObject({ person: { role: 'viewer' } });
    await api.database.query('DELETE FROM people WHERE id = $1', [id]);
    expect((await page.read()).status).toBe(401);
  });
});

describe('where people sign in', () => {
  const PLAIN = { 'x-forwarded-proto': 'http', origin: 'http://shop.example' };
  const LOCAL = { 'x-forwarded-proto': 'http', host: 'localhost:3000', origin: 'http://localhost:3000' };

  it.each([
    ['https', {}, true],
    ['plain http over a network', PLAIN, false],
    ['plain http on this machine', LOCAL, true],
  ])('%s is private: %s', async (_what, headers, isPrivate) => {
    const { body } = await browser(headers).ask('GET', '/dashboard/sign-in');

    expect(body).toEqual({ success: true, data: { private: isPrivate, code: true, oidc: false } });
  });

  it('refuses plain http over a network', async () => {
    const page = browser(PLAIN);
    const answers = [
      await page.requestCode('ada@example.com'),
      await page.lookAt('x'),
      await page.enter({ code: '0000-0000' }),
      await page.signOut(),
    ];

    expect(answers.map(({ headers }) => headers['x-error-code'])).toEqual(answers.map(() => 'address_not_private'));
  });

  it('signs in on this machine with cookies without a prefix', async () => {
    const page = browser(LOCAL);
    await page.enter({ link: await linkOf((await api.store.session('owner')).email) });

    expect([...page.cookies.keys()]).toEqual(['store-live', 'store-test']);
    expect((await page.read()).status).toBe(200);
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'http://shop.example' },
  ])('refuses a page with %j', async (headers) => {
    const page = browser(headers);
    const answers = [
      await page.requestCode('ada@example.com'),
      await page.lookAt('x'),
      await page.enter({ link: 'x' }),
      await page.signOut(),
    ];

    expect(answers.map(({ status, setCookies }) => [status, setCookies])).toEqual(answers.map(() => [403, []]));
  });

  it.each([{}, { code: 'a', link: 'b' }, { code: 1 }, { code: 'a', role: 'owner' }, { code: 'a'.repeat(65) }])(
    'answers 400 to %j',
    async (body) => {
      expect((await browser().ask('POST', '/dashboard/session', body)).status).toBe(400);
    },
  );
});
