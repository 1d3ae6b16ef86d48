import { randomBytes } from 'node:crypto';
import { AuthenticateApiKey, SignInRepository, SignInService, type SignInResult } from '@app/application';
import { scopeOfRole, SignInInvalid, type Role } from '@app/domain';
import { DataCipher } from '@app/infrastructure';
import { v7 as uuidv7 } from 'uuid';
import { contextOfCode } from '../../libs/infrastructure/src/mail/sign-in-mails.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
let signIns: SignInService;
beforeAll(async () => {
  api = await startApi();
  signIns = api.app.get(SignInService);
});
afterAll(() => api.stop());

const DEVICE = 'Firefox, Linux';
const OIDC = { issuer: 'https://login.example', subject: 'sub-1' };
const ADDRESS = '198.51.100.1';
let addresses = 0;
const address = () => `198.51.100.${++addresses}`;

/** Returns the code as its mail contains it. */
async function codeOf(email: string): Promise<string> {
  const [row] = await api.database.query<{ id: string; mail_code: Buffer }>(
    "SELECT id, mail_code FROM sign_ins WHERE email = $1 AND kind = 'code' ORDER BY created_at DESC LIMIT 1",
    [email],
  );
  return api.app.get(DataCipher).decrypt(row?.mail_code ?? Buffer.of(), contextOfCode(row?.id ?? ''));
}

async function requested(email: string): Promise<{ nonce: string; code: string }> {
  const { nonce } = await signIns.requestCode(email, address());
  return { nonce: String(nonce), code: await codeOf(email) };
}

const browser = (nonce?: string, sessions: string[] = []) => ({
  address: address(),
  nonce,
  device: DEVICE,
  sessions,
});
const enter = async (proof: Parameters<SignInService['enter']>[0], nonce?: string, store?: string) =>
  (await signIns.enter(proof, browser(nonce), store)) as SignInResult;
const isRefused = (work: Promise<unknown>) => expect(work).rejects.toBeInstanceOf(SignInInvalid);
const change = (email: string, set: string) =>
  api.database.query(`UPDATE sign_ins SET ${set} WHERE email = $1`, [email]);
const wrong = (code: string) => (code.startsWith('0') ? '1' : '0') + code.slice(1);

describe('SignInRepository', () => {
  it.each<Role>(['owner', 'viewer'])('a code gives the %s two sessions of the role, once', async (role) => {
    const { id, email, name } = await api.store.session(role);
    const { nonce, code } = await requested(email);

    const entered = await enter({ code: `${code.slice(0, 4)} - ${code.slice(4).toLowerCase()}` }, nonce);

    expect(entered).toMatchObject({ person: { name, email, role }, store: { subdomain: api.store.subdomain } });
    for (const mode of ['live', 'test'] as const) {
      const found = await api.app
        .get(AuthenticateApiKey)
        .check({ text: entered.secrets[mode], isSession: true, mode }, '192.0.2.1');
      expect(found.key).toMatchObject({ mode, scope: scopeOfRole(role), person: { id, email, isFresh: true } });
    }
    const rows = await api.database.query(
      `SELECT DISTINCT device, created_by, created_at, extract(epoch FROM expires_at - created_at)::int AS seconds
       FROM api_keys WHERE person_id = $1 AND device <> ''`,
      [id],
    );
    expect(rows).toMatchObject([{ device: DEVICE, created_by: { type: 'person', id, name }, seconds: 12 * 3600 }]);
    await isRefused(enter({ code }, nonce));
  });

  it.each<[string, (given: { nonce: string; code: string; email: string }) => Promise<unknown>]>([
    ['in another browser', ({ code }) => enter({ code }, randomBytes(16).toString('base64url'))],
    ['without the cookie', ({ code }) => enter({ code })],
    ['that is wrong', ({ code, nonce }) => enter({ code: wrong(code) }, nonce)],
    ['that is no code', ({ nonce }) => enter({ code: 'U' }, nonce)],
    ['for another store', ({ code, nonce }) => enter({ code }, nonce, 'larkmoor')],
    ['as a link', ({ code, nonce }) => enter({ link: `${nonce}:${code}` }, nonce)],
    ['late', ({ code, nonce, email }) => change(email, 'expires_at = now()').then(() => enter({ code }, nonce))],
    [
      'of a person who was removed',
      async ({ code, nonce, email }) => {
        await api.database.query('DELETE FROM people WHERE email = $1', [email]);
        return enter({ code }, nonce);
      },
    ],
  ])('refuses a code %s', async (_what, attempt) => {
    const { email } = await api.store.session('owner');

    await isRefused(attempt({ email, ...(await requested(email)) }));
  });

  it('compares a code with five texts, however many come at once', async () => {
    const { email } = await api.store.session('owner');
    const { nonce, code } = await requested(email);
    await Promise.all(Array.from({ length: 20 }, () => isRefused(enter({ code: wrong(code) }, nonce))));

    await isRefused(enter({ code }, nonce));
    expect(await api.database.query('SELECT attempts FROM sign_ins WHERE email = $1', [email])).toEqual([
      { attempts: 5 },
    ]);
  });

  it('lets a person of several stores choose, without an attempt', async () => {
    const other = await StoreFixture.create(api.database);
    const { email } = await api.store.session('owner');
    await other.row('people', { id: uuidv7(), email, name: 'Ada', role: 'viewer' });
    const { nonce, code } = await requested(email);
    for (let i = 0; i < 4; i++) await isRefused(enter({ code: wrong(code) }, nonce));

    expect(await signIns.enter({ code }, browser(nonce), undefined)).toMatchObject([
      { store: { subdomain: api.store.subdomain } },
      { store: { subdomain: other.subdomain } },
    ]);
    expect(await enter({ code }, nonce, other.subdomain)).toMatchObject({ person: { role: 'viewer' } });
  });

  it('counts an attempt with a store that the person does not have', async () => {
    const { email } = await api.store.session('owner');
    const { nonce, code } = await requested(email);

    for (let i = 0; i < 5; i++) await isRefused(enter({ code }, nonce, 'larkmoor'));

    await isRefused(enter({ code }, nonce, api.store.subdomain));
  });

  it('signs nobody in to a store that is not active', async () => {
    const other = await StoreFixture.create(api.database);
    const { email } = await other.session('owner');
    await api.database.query("UPDATE stores SET status = 'INACTIVE' WHERE id = $1", [other.id]);
    const { nonce, code } = await requested(email);

    await isRefused(enter({ code }, nonce));
  });

  it('adds three codes of an address and twenty of a network in an hour', async () => {
    const [email, network] = [`${uuidv7()}@example.com`, address()];
    const times = async (count: number, ask: (index: number) => Promise<{ retryAfterSeconds: number }>) =>
      (await Promise.all(Array.from({ length: count }, (_, index) => ask(index)))).filter((each) => {
        return each.retryAfterSeconds === 0;
      }).length;

    expect(await times(6, () => signIns.requestCode(email, address()))).toBe(3);
    expect(await times(25, (n) => signIns.requestCode(`${n}-${email}`, network))).toBe(20);
    expect(await times(25, (n) => signIns.requestCode(`v6-${n}-${email}`, `2001:db8::${n.toString(16)}`))).toBe(20);
    const refused = await signIns.requestCode(email, address());
    expect(refused.retryAfterSeconds).toBeGreaterThan(3_500);
    await change(email, "created_at = created_at - interval '1 hour'");
    expect(await times(6, () => signIns.requestCode(email, address()))).toBe(3);
  });

  it.each([
    ['was used', 'used_at = now(), mail_code = NULL'],
    ['has ended', 'expires_at = now()'],
    ['has had its attempts', 'attempts = 5'],
  ])('counts a code that %s among those of the hour', async (_what, set) => {
    const [email, network] = [`${uuidv7()}@example.com`, address()];
    const codes = (requests: readonly [string, string][]) =>
      Promise.all(requests.map(([of, from]) => signIns.requestCode(of, from)));
    await codes(Array.from({ length: 3 }, () => [email, address()]));
    await codes(Array.from({ length: 20 }, (_, n) => [`${n}-${email}`, network]));
    await api.database.query(`UPDATE sign_ins SET ${set} WHERE email LIKE $1`, [`%${email}`]);

    const refused = await codes([
      [email, address()],
      [`another-${email}`, network],
    ]);

    expect(refused.map(({ nonce, retryAfterSeconds }) => [nonce, retryAfterSeconds > 3_500])).toEqual([
      [null, true],
      [null, true],
    ]);
  });

  it('counts no link and no entry of an identity provider among the codes of an address', async () => {
    const { email } = await api.store.session('owner');
    for (let i = 0; i < 3; i++) await signIns.makeLink(email);
    await signIns.makeOidcEntry(email, { ...OIDC, subject: uuidv7() }, { nonce: 'nonce', address: ADDRESS });

    expect(await signIns.requestCode(email, address())).toMatchObject({ retryAfterSeconds: 0 });
  });

  it('opens a link in any browser, once, and shows before as whom', async () => {
    const { email, name } = await api.store.session('manager');
    const { token } = await signIns.makeLink(` ${email.toUpperCase()} `);

    for (let i = 0; i < 2; i++) expect(await signIns.look(token, browser())).toMatchObject([{ name }]);
    expect(await enter({ link: token })).toMatchObject({ person: { email, role: 'manager' } });
    await isRefused(signIns.look(token, browser()));
    await isRefused(enter({ link: token }));
  });

  it('makes no link for an address that no person has', async () => {
    await expect(signIns.makeLink('nobody@example.com')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('uses a link once when it is posted many times at once', async () => {
    const { email } = await api.store.session('owner');
    const { token } = await signIns.makeLink(email);
    const attempts = await Promise.allSettled(Array.from({ length: 10 }, () => enter({ link: token })));

    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('pins a person to the account that signed in first', async () => {
    const { email } = await api.store.session('owner');
    const entry = async (identity: typeof OIDC, mail = email) => {
      const token = await signIns.makeOidcEntry(mail, identity, {
        nonce: `${identity.subject}-${++addresses}`,
        address: ADDRESS,
      });
      const nonce = `${identity.subject}-${addresses}`;
      return () => enter({ link: token }, nonce);
    };
    const [first, ...others] = [
      ...[await entry(OIDC), await entry({ ...OIDC, subject: 'sub-2' })],
      await entry({ ...OIDC, issuer: 'https://other.example' }),
    ];

    expect(await first?.()).toMatchObject({ person: { email } });
    for (const other of others) await isRefused(other());
    await expect(entry({ ...OIDC, subject: 'sub-2' })).rejects.toMatchObject({ outcome: 'other_account' });
    await expect(entry(OIDC, 'another@example.com').then((again) => again())).resolves.toMatchObject({
      person: { email },
    });
    await expect(entry({ ...OIDC, subject: 'x' }, 'stranger@example.com')).rejects.toMatchObject({
      outcome: 'not_added',
    });
  });

  it('opens the entry after an identity provider in the browser that began it only', async () => {
    const { email } = await api.store.session('owner');
    const token = await signIns.makeOidcEntry(
      email,
      { ...OIDC, subject: 'sub-3' },
      { nonce: 'nonce-of-the-browser', address: ADDRESS },
    );

    await isRefused(enter({ link: token }));
    await isRefused(enter({ link: token }, 'another-nonce'));
    await expect(signIns.look(token, browser('nonce-of-the-browser'))).resolves.toHaveLength(1);
  });

  it('deletes the sessions that the browser had, and those of a sign-out, and no key', async () => {
    const before = await api.store.session('viewer');
    const { token } = await signIns.makeLink((await api.store.session('owner')).email);
    const { secrets } = (await signIns.enter(
      { link: token },
      browser(undefined, [before.secret, api.store.key]),
      undefined,
    )) as SignInResult;
    const check = async (text: string, mode: 'live' | null) =>
      (
        await api.app
          .get(AuthenticateApiKey)
          .check(mode ? { text, isSession: true, mode } : { text, isSession: false }, '192.0.2.1')
      ).failure;

    expect([await check(before.secret, 'live'), await check(secrets.live, 'live')]).toEqual(['unknown', null]);
    await signIns.signOut(browser(undefined, [secrets.live, secrets.test]));
    expect([await check(secrets.live, 'live'), await check(api.store.key, null)]).toEqual(['unknown', null]);
  });

  it.each(['MOVING', 'MOVED'])(
    'signs in to a store that stayed, and signs out of it, after a session of a store that is %s',
    async (status) => {
      const { email, secret } = await api.store.session('owner');
      const { store: stayed } = await api.withStore();
      await stayed.row('people', { id: uuidv7(), email, name: 'Ada', role: 'owner' });
      const setStatus = (status: string) =>
        api.database.query('UPDATE stores SET status = $2 WHERE id = $1', [api.store.id, status]);
      const { token } = await signIns.makeLink(email);
      await setStatus(status);
      try {
        const entered = (await signIns.enter({ link: token }, browser(undefined, [secret]), undefined)) as SignInResult;
        expect(entered.store.subdomain).toBe(stayed.subdomain);

        await signIns.signOut(browser(undefined, [secret, entered.secrets.live]));

        const check = (text: string) =>
          api.app.get(AuthenticateApiKey).check({ text, isSession: true, mode: 'live' }, '192.0.2.1');
        expect((await check(entered.secrets.live)).failure).toBe('unknown');
        expect((await check(secret)).key?.store.status).toBe(status);
      } finally {
        await setStatus('ACTIVE');
      }
    },
  );

  it('finds nothing for a hash that it does not have', async () => {
    const repository = api.app.get(SignInRepository);

    expect(await repository.countAttempt(randomBytes(32), () => true, ADDRESS)).toBeNull();
    expect(await repository.findToken(randomBytes(32), null)).toBeNull();
  });
});
