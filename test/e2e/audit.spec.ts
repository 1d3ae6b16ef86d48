import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { purgeExpired } from '@app/infrastructure';
import pg from 'pg';
import type { Session } from '../builders/store-fixture.js';
import { Browser, codeIn, type SendRequest } from '../support/browser.js';
import { commandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';

interface Entry {
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly name: string };
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;
  readonly address: string | null;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const CLIENT = '203.0.113.9';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

let smtp: SmtpSink;
let application: RunningApi;
let api: RunningApi;
let owner: Session;
beforeAll(async () => {
  smtp = await SmtpSink.start();
  application = await startApi({
    ...{ TRUST_PROXY: '1', PIPELINE: 'inline', SMTP_URL: smtp.url, THROTTLE_PER_10S: '0' },
    WEBHOOK_ALLOW: '127.0.0.0/8',
  });
});
afterAll(async () => {
  await application.stop();
  await smtp.close();
});
beforeEach(async () => {
  api = await application.withStore();
  owner = await api.store.session('owner');
});
const { cli, directory } = commandLine(() => application.database);

/** Sends a request of the owner, or with a key, from the address of the client. */
async function ask(method: Method, url: string, body?: object, key?: string) {
  const from = { host: 'localhost', 'x-forwarded-for': CLIENT, 'x-forwarded-proto': 'https' };
  const session = { 'x-dashboard': 'live', cookie: `__Host-store-live=${owner.secret}` };
  const headers = { ...from, ...(key ? { authorization: `Bearer ${key}` } : session) };
  const response = await api.inject({ method, url, headers, ...(body && { payload: body }) });
  return { status: response.statusCode, ...response.json<{ data: Record<string, unknown>; error?: string }>() };
}

async function done(method: Method, url: string, body?: object, key?: string) {
  const answer = await ask(method, url, body, key);
  expect([method, url, answer.error, answer.status < 300]).toEqual([method, url, undefined, true]);
  return answer.data;
}

async function entries(query = ''): Promise<Entry[]> {
  const answer = await ask('GET', `/v1/audit?limit=100${query}`);
  expect(answer.error).toBeUndefined();
  return answer.data as unknown as Entry[];
}

const actions = async (query = '') => (await entries(query)).map(({ action }) => action);
const byOwner = () => ({ actor: { type: 'person', id: owner.id, name: owner.name }, address: CLIENT });
const OPERATOR = { actor: { type: 'operator', id: '', name: expect.any(String) as string }, address: null };

const send: SendRequest = async ({ method, url, headers, body }) => {
  const response = await api.inject({ method, url, headers, ...(body && { payload: body }) });
  const setCookies = [response.headers['set-cookie'] ?? []].flat();
  return { status: response.statusCode, headers: response.headers, setCookies, body: response.json<object>() };
};
let networks = 0;
const browser = (address = `198.51.100.${++networks}`) =>
  new Browser(send, {
    ...{ host: 'shop.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
    ...{ origin: 'https://shop.example', 'sec-fetch-site': 'same-origin', 'user-agent': FIREFOX },
  });

async function mailedCode(page: Browser, email: string): Promise<string> {
  const mails = () => smtp.mails.filter(({ to }) => to.includes(email));
  const before = mails().length;
  await page.requestCode(email);
  await eventually(() => expect(mails()).toHaveLength(before + 1));
  return codeIn(mails().at(-1)?.raw ?? '');
}

describe('the audit', () => {
  it('shows who created, rolled and revoked a key, and from where', async () => {
    const made = await done('POST', '/v1/keys', { name: 'ERP', scope: ['orders'], networks: ['192.0.2.0/24'] });
    const rolled = await done('POST', `/v1/keys/${String(made['id'])}/roll`, { overlap_hours: 0 });
    const successor = String(rolled['id']);
    for (const change of ['deactivate', 'activate', 'revoke']) await done('POST', `/v1/keys/${successor}/${change}`);
    await done('POST', `/v1/keys/${successor}/revoke`);

    const subject = { kind: 'key', id: successor, name: 'ERP' };
    expect((await entries()).map(({ at: _at, ...entry }) => entry)).toEqual([
      { ...byOwner(), action: 'key.revoked', subject, changes: { status: ['ACTIVE', 'REVOKED'] } },
      { ...byOwner(), action: 'key.activated', subject, changes: { status: ['DEACTIVATED', 'ACTIVE'] } },
      { ...byOwner(), action: 'key.deactivated', subject, changes: { status: ['ACTIVE', 'DEACTIVATED'] } },
      {
        ...byOwner(),
        action: 'key.rolled',
        subject: { ...subject, id: made['id'] },
        changes: { successor_id: [null, successor] },
      },
      {
        ...byOwner(),
        action: 'key.created',
        subject: { ...subject, id: made['id'] },
        changes: {
          mode: [null, 'live'],
          scope: [null, 'read,orders'],
          networks: [null, ['192.0.2.0/24']],
          trusted: [null, false],
          expires_at: [null, null],
        },
      },
    ]);
  });

  it('shows the commands of the operator without an address', async () => {
    await cli(['keys', 'create', '--store', api.store.subdomain, '--name', 'Till']);

    expect(await entries()).toMatchObject([{ ...OPERATOR, action: 'key.created', subject: { name: 'Till' } }]);
  });

  it('shows changes of people, and nothing for a change that was refused or changes nothing', async () => {
    const added = await done('POST', '/v1/people', { email: 'Ben@Example.com', name: 'Ben', role: 'support' });
    const person = `/v1/people/${String(added['id'])}`;
    await done('PATCH', person, { role: 'manager' });
    await done('PATCH', person, { role: 'manager' });
    await done('POST', `${person}/invite`);
    expect((await ask('POST', '/v1/people', { email: 'ben@example.com', name: 'B', role: 'viewer' })).status).toBe(422);
    expect((await ask('DELETE', `/v1/people/${owner.id}`)).status).toBe(422);
    await done('DELETE', person);

    const subject = { kind: 'person', id: added['id'], name: 'Ben' };
    expect(await entries()).toMatchObject([
      { action: 'person.removed', subject, changes: { email: ['ben@example.com', null], role: ['manager', null] } },
      { action: 'person.invited', subject, changes: {} },
      { action: 'person.changed', subject, changes: { role: ['support', 'manager'] } },
      { ...byOwner(), action: 'person.added', subject, changes: { role: [null, 'support'] } },
    ]);
  });

  it('shows sign-ins, wrong codes and ended sessions, with the address of the browser', async () => {
    const ben = await api.store.session('viewer');
    const page = browser('198.51.100.200');
    const code = await mailedCode(page, ben.email);
    const wrong = (code.startsWith('0') ? '1' : '0') + code.slice(1);
    expect((await page.ask('POST', '/dashboard/session', { code: wrong })).status).toBe(422);
    expect((await page.ask('POST', '/dashboard/session', { code })).status).toBe(200);
    const sessions = (await done('GET', `/v1/people/${ben.id}/sessions`)) as unknown as { id: string }[];
    await done('DELETE', `/v1/people/${ben.id}/sessions/${sessions[0]?.id}`);

    const person = { id: ben.id, name: ben.name };
    const [subject, address] = [{ kind: 'person', ...person }, '198.51.100.200'];
    expect((await entries()).map(({ at: _at, ...entry }) => entry)).toEqual([
      { ...byOwner(), action: 'session.ended', subject, changes: { device: ['Firefox, Linux', null] } },
      {
        ...{ actor: { type: 'person', ...person }, action: 'sign_in.succeeded', subject, address },
        changes: { method: [null, 'code'], device: [null, 'Firefox, Linux'] },
      },
      {
        ...{ actor: { type: 'system', id: '', name: '' }, action: 'sign_in.failed', subject, address },
        changes: { method: [null, 'code'] },
      },
    ]);
  });

  it('keeps 20 failed sign-ins of a person in an hour', async () => {
    const ben = await api.store.session('viewer');
    await api.database.query(
      `INSERT INTO audit_events (store_id, id, actor_type, actor_id, actor_name, action, subject_kind, subject_id, subject_name,
         changes)
       SELECT $1, gen_random_uuid(), 'system', '', '', 'sign_in.failed', 'person', $2, '', '{}' FROM generate_series(1, 19)`,
      [api.store.id, ben.id],
    );
    const page = browser();
    const code = await mailedCode(page, ben.email);
    const wrong = (code.startsWith('0') ? '1' : '0') + code.slice(1);
    for (let n = 0; n < 3; n++) await page.ask('POST', '/dashboard/session', { code: wrong });

    expect(await entries('&action=sign_in.failed')).toHaveLength(20);
  });

  it('shows one entry for all prices of a request, with the first of them', async () => {
    const products = [];
    for (let n = 0; n < 25; n++) products.push(await api.store.product({ sku: `A-${n}`, price: 1000 }));
    const lines = products.map((_id, n) => ({ sku: `A-${n}`, price: '12.50', expected: null }));

    await done('POST', '/v1/prices', { reference: 'P-1', lines });
    await done('POST', '/v1/prices', { lines: lines.slice(0, 2) });

    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ ...byOwner(), action: 'prices.changed', subject: { kind: 'prices', id: '' } });
    expect(entry?.changes).toMatchObject({ lines: [null, 25], reference: [null, 'P-1'] });
    const [before, after] = entry?.changes['prices'] as [object, object];
    expect([Object.keys(before), Object.keys(after)].map(({ length }) => length)).toEqual([20, 20]);
    expect([before, after]).toMatchObject([{ 'A-0': 10 }, { 'A-0': 12.5 }]);
  });

  it('shows changes of price lists and of their prices', async () => {
    await api.store.product({ sku: 'A-1', price: 1000 });
    for (const name of ['Resellers', 'Resellers', 'Partners']) await done('PUT', '/v1/price-lists/R', { name });
    await done('POST', '/v1/prices', { list: 'R', lines: [{ sku: 'A-1', price: '8', expected: null }] });
    await done('DELETE', '/v1/price-lists/R');

    expect(await entries('&subject=R')).toMatchObject([
      { ...byOwner(), action: 'price_list.deleted', subject: { kind: 'price_list', id: 'R', name: 'Partners' } },
      { action: 'prices.changed', changes: { prices: [{ 'A-1': null }, { 'A-1': 8 }] } },
      { action: 'price_list.changed', changes: { name: ['Resellers', 'Partners'] } },
      { action: 'price_list.created', changes: { name: [null, 'Resellers'] } },
    ]);
  });

  it('counts the lines of imports over HTTP and by the command, and shows nothing for one that changed nothing', async () => {
    const brands = (names: readonly string[]) => names.map((name) => ({ kind: 'brand', slug: name, name }));
    await done('POST', '/v1/import', { lines: brands(['a', 'b']) });
    await done('POST', '/v1/import', { lines: brands(['a', 'b']) });
    const store = api.store.subdomain;
    const many = brands(Array.from({ length: 2_500 }, (_, n) => `n-${n}`)).map((line) => ({ ...line, store }));
    const file = path.join(directory, 'bundle.ndjson');
    writeFileSync(file, many.map((line) => JSON.stringify(line)).join('\n'));
    for (let n = 0; n < 2; n++) expect(await cli(['import', file])).toMatchObject({ code: 0 });

    expect(await entries()).toMatchObject([
      { ...OPERATOR, action: 'import.written', subject: { kind: 'import' }, changes: { brand: [null, 2_500] } },
      { ...byOwner(), action: 'import.written', changes: { brand: [null, 2] } },
    ]);
  });

  it('shows changes of webhooks', async () => {
    const url = 'https://127.0.0.1:9/hooks/T0P5ECRET?token=T0P5ECRET';
    const { id } = await done('POST', '/v1/webhooks', { url, kinds: ['orders'], name: 'ERP' });
    const webhook = `/v1/webhooks/${String(id)}`;
    await done('PATCH', webhook, { batch: 10, headers: { 'X-Tenant': 'shop' } });
    await done('PATCH', webhook, { batch: 10 });
    for (const change of ['pause', 'pause', 'resume', 'test']) await done('POST', `${webhook}/${change}`);
    await done('POST', `${webhook}/replay`, { from: '2026-11-20T09:30:00Z' });
    await done('POST', `${webhook}/rotate-secret`, { overlap_hours: 1 });
    await done('DELETE', webhook);

    expect((await entries()).map(({ action, changes }) => ({ action, changes }))).toEqual([
      { action: 'webhook.deleted', changes: {} },
      { action: 'webhook.secret_rotated', changes: { overlap_seconds: [null, 3600] } },
      { action: 'webhook.replayed', changes: { from: [null, '2026-11-20T09:30:00.000Z'] } },
      { action: 'webhook.resumed', changes: { state: ['paused', 'active'] } },
      { action: 'webhook.paused', changes: { state: ['active', 'paused'] } },
      { action: 'webhook.changed', changes: { batch: [1, 10], headers: [[], ['X-Tenant']] } },
      {
        action: 'webhook.created',
        changes: {
          ...{ name: [null, 'ERP'], url: [null, 'https://127.0.0.1:9'], kinds: [null, ['orders']] },
          ...{ body: [null, 'thin'], batch: [null, 1], headers: [null, []] },
        },
      },
    ]);
  });

  it('shows exports and erasures of personal data, and keeps no personal data of the customer', async () => {
    const email = 'ada@buyer.example';
    const id = '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f';
    await api.store.row('customers', { id, name: 'Ada Lovelace', email });
    await done('GET', `/v1/customers/${id}/personal-data`);
    await cli(['customers', 'export', email, '--store', api.store.subdomain]);
    await done('POST', `/v1/customers/${id}/erase`, {});
    await cli(['customers', 'erase', email, '--store', api.store.subdomain, '--yes']);

    const found = await entries();

    const subject = { kind: 'customer', id, name: '' };
    expect(found).toMatchObject([
      { ...byOwner(), action: 'customer.erased', subject, changes: { customers: [null, 1], orders: [null, 0] } },
      { ...OPERATOR, action: 'customer.exported', subject },
      { ...byOwner(), action: 'customer.exported', subject, changes: { orders: [null, 0] } },
    ]);
    expect(JSON.stringify(found)).not.toMatch(/ada|lovelace/i);
  });

  it('pages through all entries with the cursor, and refuses one of another store', async () => {
    for (const n of [1, 2, 3]) await done('PUT', `/v1/price-lists/L${n}`, { name: 'L' });
    type Page = { data: Entry[]; cursor: string; has_more: boolean };
    const page = async (cursor: string) => (await ask('GET', `/v1/audit?limit=2${cursor}`)) as unknown as Page;

    const first = await page('');
    const second = await page(`&cursor=${first.cursor}`);
    const third = await page(`&cursor=${second.cursor}`);

    expect([first, second, third].map(({ data }) => data.map(({ subject }) => subject.id))).toEqual([
      ['L3', 'L2'],
      ['L1'],
      [],
    ]);
    expect([first.has_more, second.has_more, third.cursor]).toEqual([true, false, second.cursor]);
    owner = await (await application.withStore()).store.session('owner');
    expect(await ask('GET', `/v1/audit?cursor=${first.cursor}`)).toMatchObject({ status: 400, code: 'cursor_invalid' });
  });

  it('filters by actor, action, subject and time', async () => {
    await cli(['keys', 'create', '--store', api.store.subdomain]);
    await done('PUT', '/v1/price-lists/A', { name: 'A' });
    await done('PUT', '/v1/price-lists/B', { name: 'B' });
    const [newest] = await entries();

    expect(await actions('&actor=operator')).toEqual(['key.created']);
    expect(await actions(`&actor=${owner.id}`)).toHaveLength(2);
    expect(await actions('&action=KEY.created')).toEqual(['key.created']);
    expect(await actions('&subject=A&action=price_list.created')).toHaveLength(1);
    expect(await actions(`&from=${newest?.at}`)).toHaveLength(1);
    expect(await actions(`&to=${newest?.at}`)).toHaveLength(2);
    for (const none of ['&actor=', '&action=key', '&subject=a']) expect(await actions(none)).toEqual([]);
    expect(await ask('GET', '/v1/audit?from=yesterday')).toMatchObject({ status: 400 });
  });

  it('is open to owners and managers, and to a key with the scope settings', async () => {
    const statusOf = async (role: 'manager' | 'developer') => {
      owner = await api.store.session(role);
      return (await ask('GET', '/v1/audit')).status;
    };
    const ofKey = async (scope: 'full' | 'read,settings') =>
      (await ask('GET', '/v1/audit', undefined, await api.store.createKey('live', scope))).status;

    expect([await statusOf('manager'), await statusOf('developer')]).toEqual([200, 403]);
    expect([await ofKey('read,settings'), await ofKey('full')]).toEqual([200, 403]);
  });

  it('forgets the name and the addresses of a person whose name is erased', async () => {
    const ben = await api.store.session('owner');
    const first = owner;
    owner = ben;
    await done('PUT', '/v1/price-lists/A', { name: 'A' });
    owner = first;
    await done('PATCH', `/v1/people/${ben.id}`, { name: 'Benjamin' });
    await done('DELETE', `/v1/people/${ben.id}?erase_name=true`);

    const erased = { id: ben.id, name: 'Erased' };
    expect(await entries()).toMatchObject([
      { ...byOwner(), action: 'person.removed', subject: erased, changes: { role: ['owner', null] } },
      { ...byOwner(), action: 'person.changed', subject: erased },
      { action: 'price_list.created', actor: erased, address: null },
    ]);
    const rows = await api.database.query('SELECT * FROM audit_events WHERE store_id = $1', [api.store.id]);
    for (const text of [ben.name, ben.email, 'Benjamin']) expect(JSON.stringify(rows)).not.toContain(text);
  });

  it('forgets the name of an owner who removes themselves', async () => {
    await api.store.session('owner');
    await done('DELETE', `/v1/people/${owner.id}?erase_name=true`);
    const [row] = await api.database.query('SELECT * FROM audit_events WHERE store_id = $1', [api.store.id]);

    expect(row).toMatchObject({
      action: 'person.removed',
      actor_name: 'Erased',
      subject_name: 'Erased',
      address: null,
    });
  });

  it('keeps entries for 400 days', async () => {
    for (const [code, days] of Object.entries({ OLD: 401, KEPT: 399 })) {
      await done('PUT', `/v1/price-lists/${code}`, { name: code });
      await api.database.query(
        'UPDATE audit_events SET at = now() - make_interval(days => $3) WHERE store_id = $1 AND subject_id = $2',
        [api.store.id, code, days],
      );
    }
    const pool = new pg.Pool({ connectionString: api.database.url });

    await purgeExpired(pool, { rejectedOrders: 90, keyUsage: 400 });

    await pool.end();
    expect((await entries()).map(({ subject }) => subject.id)).toEqual(['KEPT']);
  });

  it('contains no key, code, link, cookie, secret, header or path of a webhook', async () => {
    const ben = await api.store.session('developer');
    const page = browser();
    const code = await mailedCode(page, ben.email);
    await page.ask('POST', '/dashboard/session', { code });
    const { link } = (await cli(['people', 'sign-in', ben.email])).json as { link: string };
    const token = link.replace(/.*#\/enter\//, '');
    await browser().ask('POST', '/dashboard/session', { link: token });
    const made = await done('POST', '/v1/keys', { name: 'ERP', scope: ['orders'] });
    const rolled = await done('POST', `/v1/keys/${String(made['id'])}/roll`, { overlap_hours: 0 });
    const url = 'https://127.0.0.1:9/hooks/T0P5ECRET?token=T0P5ECRET';
    const webhook = await done('POST', '/v1/webhooks', { url, kinds: ['orders'] });
    const at = `/v1/webhooks/${String(webhook['id'])}`;
    await done('PATCH', at, { headers: { Authorization: 'Bearer T0P5ECRET' }, url: `${url}2` });
    const rotated = await done('POST', `${at}/rotate-secret`, {});

    const rows = await api.database.query('SELECT * FROM audit_events WHERE store_id = $1', [api.store.id]);

    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThanOrEqual(7);
    const keys = [made['key'], rolled['key'], webhook['secret'], rotated['secret'], owner.secret, api.store.key];
    for (const secret of [...keys, code, token, 'T0P5ECRET']) {
      expect(String(secret).length).toBeGreaterThan(7);
      expect(text).not.toContain(secret);
    }
    const hashes = await api.database.query<{ hash: string }>(
      `SELECT encode(key_hash, 'hex') AS hash FROM api_keys WHERE store_id = $1`,
      [api.store.id],
    );
    for (const { hash } of hashes) expect(text).not.toContain(hash);
  });
});
