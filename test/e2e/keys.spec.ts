import { ApiKeysService } from '@app/application';
import type { ApiKeyScope } from '@app/domain';
import type { LightMyRequestResponse } from 'fastify';
import { KeyUsage } from '../../libs/infrastructure/src/access/key-usage.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const HOUR_MS = 3_600_000;

let api: RunningApi;
const lines: string[] = [];
beforeAll(async () => (api = await startApi({}, lines)));
afterAll(() => api.stop());

type Headers = Record<string, string>;
interface Key {
  readonly id: string;
  readonly key: string;
  readonly [field: string]: unknown;
}

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });

/** Signs a person in and returns the headers of the session. */
const signedIn = async (role: 'owner' | 'developer' = 'owner', signedInMinutesAgo = 0, { store } = api) => {
  const session = await store.session(role, { signedInMinutesAgo });
  const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${session.secret}` };
  return { ...session, headers };
};

/** Returns the header of a key, with columns as in the table. */
const aMachine = async (scope: ApiKeyScope, columns = '') => {
  const key = await api.store.createKey('live', scope);
  if (columns !== '') {
    await api.database.query(`UPDATE api_keys SET ${columns} WHERE store_id = $1 AND last_four = $2`, [
      ...[api.store.id, key.slice(-4)],
    ]);
  }
  return bearer(key);
};

const create = (headers: Headers, body: object = {}) =>
  api.inject({ method: 'POST', url: '/v1/keys', headers, payload: { name: 'ERP', scope: ['read'], ...body } });
const change = (headers: Headers, id: string, verb: string, payload?: object) =>
  api.inject({ method: 'POST', url: `/v1/keys/${id}/${verb}`, headers, ...(payload && { payload }) });
const roll = (headers: Headers, id: string, body: object = { overlap_hours: 1 }) => change(headers, id, 'roll', body);
const read = (headers: Headers, url = '/v1/keys?limit=100') => api.inject({ url, headers });
const ask = async (key: string) => (await read(bearer(key), '/v1/key')).statusCode;

const dataOf = (response: LightMyRequestResponse) => response.json<{ data: Key }>().data;
const rowsOf = (response: LightMyRequestResponse) => response.json<{ data: Key[] }>().data;
const refusalOf = ({ statusCode, headers, body }: LightMyRequestResponse) => [
  ...[statusCode, headers['x-error-code'], (JSON.parse(body) as { error: string }).error],
];
const created = async (headers: Headers, body: object = {}): Promise<Key> => {
  const response = await create(headers, body);
  expect([response.statusCode, response.body]).toEqual([201, expect.any(String)]);
  return dataOf(response);
};

describe('a new key', () => {
  it('is refused when the store has 5,000, as is a roll, and the operator may make another', async () => {
    const full = await api.withStore();
    const maker = await full.store.createKey('live', 'read,keys');
    const { id } = dataOf(await create(bearer(maker)));
    const add = `INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, status)
      SELECT $1, gen_random_uuid(), sha256(convert_to('key-' || n, 'UTF8')), 'sk_live_', 'abcd', 'live', 'REVOKED'
      FROM generate_series(1, $2::int) AS n`;
    const [row] = await api.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM api_keys WHERE store_id = $1',
      [full.store.id],
    );
    await api.database.query(add, [full.store.id, 4_999 - (row?.count ?? 0)]);

    const last = await create(bearer(maker));
    const refused = [await create(bearer(maker)), await roll(bearer(maker), id)];
    const ofOperator = api.app
      .get(ApiKeysService)
      .create(
        full.store.id,
        { name: '', mode: 'live', scope: 'full', networks: null, trusted: false, expiresAt: null },
        { key: null, actor: { type: 'operator', id: '', name: '' } },
      );

    expect(last.statusCode).toBe(201);
    for (const answer of refused) expect(refusalOf(answer).slice(0, 2)).toEqual([422, 'too_many_records']);
    expect((await ofOperator).storeId).toBe(full.store.id);
  });

  it('is shown once, works at once, and is in no list and no log', async () => {
    const { headers, id, name } = await signedIn();
    lines.length = 0;

    const { key, ...row } = await created(headers, {
      ...{ name: ' ERP  bridge ', scope: ['stock', 'orders'], networks: ['127.0.0.1', '10.0.0.0/8'] },
      expires_at: '2999-01-31T00:00:00Z',
    });

    const actor = { type: 'person', id, name };
    expect(row).toEqual({
      ...{ id: expect.any(String) as string, name: 'ERP  bridge', mode: 'live', scope: ['read', 'orders', 'stock'] },
      ...{ full: false, networks: ['127.0.0.1/32', '10.0.0.0/8'], trusted: false, status: 'ACTIVE' },
      ...{ prefix: 'svc_live_', last_four: key.slice(-4), expires_at: '2999-01-31T00:00:00.000Z', last_used_at: null },
      ...{ created_at: expect.any(String) as string, created_by: actor, changed_by: null, changed_at: null },
      ...{ successor_id: null, requests_7_days: 0, refused_7_days: 0 },
    });
    expect(await ask(key)).toBe(200);
    const list = await read(headers);
    expect(rowsOf(list)).toContainEqual(row);
    expect(list.body + lines.join()).not.toContain(key.slice(9, -4));
    const line = lines.map((text) => JSON.parse(text) as Headers).find(({ msg }) => msg === 'API key created');
    expect(line).toMatchObject({ store_id: api.store.id, key_id: row.id, actor_type: 'person', actor_id: id });
    expect(lines.join()).not.toContain(name);
  });

  it('has the mode of the request, or by a person the other one', async () => {
    const { headers } = await signedIn();

    expect(await created(headers)).toMatchObject({ mode: 'live', prefix: 'svc_live_' });
    expect(await created(headers, { mode: 'test' })).toMatchObject({ mode: 'test', prefix: 'svc_test_' });
    expect(await created(bearer(await api.store.createKey('test', 'read,keys')))).toMatchObject({ mode: 'test' });
  });

  it('has the networks and the end of the key that made it, where the request names none', async () => {
    const rights = `networks = '{127.0.0.0/8}', expires_at = '2999-01-01T00:00:00Z'`;
    const maker = await aMachine('read,keys', rights);

    expect(await created(maker)).toMatchObject({
      ...{ networks: ['127.0.0.0/8'], expires_at: '2999-01-01T00:00:00.000Z', created_by: { type: 'key' } },
    });
  });

  it.each<[string, 'owner' | 'developer', object]>([
    ['full, by an owner', 'owner', { scope: ['full'] }],
    ['keys, by a developer', 'developer', { scope: ['webhooks', 'keys'] }],
  ])('may have %s', async (_what, role, body) => {
    const { headers } = await signedIn(role);

    expect((await create(headers, body)).statusCode).toBe(201);
  });

  it.each<[string, 'owner' | 'developer', object, string]>([
    [
      'what its maker lacks',
      'developer',
      { scope: ['orders'] },
      'scope must not contain orders: the allowed scopes are read, webhooks, keys',
    ],
    [
      'full, by a developer',
      'developer',
      { scope: ['full'] },
      'scope must not contain full: the allowed scopes are read, webhooks, keys',
    ],
  ])('of a person may not have %s', async (_what, role, body, error) => {
    const { headers } = await signedIn(role);

    expect(refusalOf(await create(headers, body))).toEqual([422, 'exceeds_maker', error]);
  });

  it.each<[string, string, object, string]>([
    [
      'what its maker lacks',
      '',
      { scope: ['stock'] },
      'scope must not contain stock: the allowed scopes are read, orders',
    ],
    ['keys', '', { scope: ['keys'] }, 'scope must not contain keys: the allowed scopes are read, orders'],
    ['the other mode', '', { mode: 'test' }, 'mode must be live'],
    [
      'networks of others',
      `networks = '{127.0.0.0/8}'`,
      { networks: ['127.0.0.1', '10.0.0.0/8'] },
      'networks must be within 127.0.0.0/8, not 10.0.0.0/8',
    ],
    [
      'a later end',
      `expires_at = '2999-01-01T00:00:00Z'`,
      { expires_at: '2999-01-01T00:00:01Z' },
      'expires_at must be 2999-01-01T00:00:00.000Z or earlier',
    ],
  ])('of a machine may not have %s', async (_what, columns, body, error) => {
    const maker = await aMachine('read,orders,keys', columns);

    expect(refusalOf(await create(maker, body))).toEqual([422, 'exceeds_maker', error]);
  });

  it.each<[string, object, RegExp]>([
    [
      'team',
      { scope: ['team'] },
      /^scope must be a list of one or more of full, read, .*sales, pricing, keys, settings$/,
    ],
    ['no scope', { scope: undefined }, /^scope must be a list/],
    ['full with other words', { scope: ['full', 'orders'] }, /^scope must be full alone, or scopes other than full$/],
    ['a blank name', { name: ' ' }, /^name is required/],
    ['a name in two lines', { name: 'a\nb' }, /^name must be/],
    ['a name that turns its text around', { name: 'a\u202eb' }, /^name must be/],
    ['no networks', { networks: [] }, /^networks must be a list of 1 to 50/],
    ['a network with bits after its length', { networks: ['10.0.0.1/8'] }, /^networks must be/],
    ['a network in an object', { networks: [{}] }, /^networks must be/],
    ['more networks than 50', { networks: Array<string>(51).fill('10.0.0.1') }, /^networks must be/],
    [
      'an end that is over',
      { expires_at: '2026-01-01T00:00:00Z' },
      /^expires_at must be a time with a zone, .*, in the future/,
    ],
    ['an end without a zone', { expires_at: '2999-01-01T00:00:00' }, /^expires_at must be/],
    ['trust', { trusted: true }, /^trusted is not a field of this request$/],
  ])('with %s is refused', async (_what, body, error) => {
    const { headers } = await signedIn();

    expect(refusalOf(await create(headers, body))).toEqual([400, 'invalid_request', expect.stringMatching(error)]);
  });

  it('needs the scope keys, which full does not have, and so does the list', async () => {
    for (const scope of ['full', 'read,webhooks'] as const) {
      const headers = await aMachine(scope);

      for (const answer of [await create(headers), await read(headers), await read(headers, '/v1/keys/usage')]) {
        expect(refusalOf(answer)).toEqual([403, 'insufficient_scope', 'API key lacks the scope keys']);
      }
    }
  });

  it('and every change need a sign-in within the hour, and the list does not', async () => {
    const { headers } = await signedIn('owner', 61);
    const fresh = await signedIn();
    const { id } = await created(fresh.headers);

    expect((await read(headers)).statusCode).toBe(200);
    for (const answer of [
      await create(headers),
      await roll(headers, id),
      ...(await Promise.all(['revoke', 'deactivate', 'activate'].map((verb) => change(headers, id, verb)))),
    ]) {
      expect([answer.statusCode, answer.headers['x-error-code']]).toEqual([403, 'stale_sign_in']);
    }
  });

  it('is refused with an Idempotency-Key: no answer with a key is kept', async () => {
    const { headers } = await signedIn();
    const { id } = await created(headers);
    const repeated = { ...headers, 'idempotency-key': 'k-1' };

    for (const answer of [await create(repeated), await roll(repeated, id)]) {
      expect(refusalOf(answer)).toEqual([400, 'invalid_request', expect.stringMatching(/^Idempotency-Key is not/)]);
    }
  });
});

describe('a roll', () => {
  it('makes a key with the same rights, and the old one works until the overlap has passed', async () => {
    const { headers, id, name } = await signedIn();
    const old = await created(headers, { name: 'BI', mode: 'test', scope: ['payments'], networks: ['127.0.0.1'] });

    const before = Date.now();
    const answer = await roll(headers, old.id, { overlap_hours: 24, expires_at: '2999-01-01T00:00:00Z' });
    const after = Date.now();

    const { key, ...rolled } = dataOf(answer);
    const end = (rolled['replaces'] as Headers)['expires_at'] ?? '';
    const kept = { name: 'BI', mode: 'test', scope: ['read', 'payments'], networks: ['127.0.0.1/32'] };
    expect([answer.statusCode, rolled]).toMatchObject([
      ...[201, { ...kept, replaces: { id: old.id }, expires_at: '2999-01-01T00:00:00.000Z' }],
    ]);
    expect(Date.parse(end) - 24 * HOUR_MS).toBeGreaterThanOrEqual(before);
    expect(Date.parse(end) - 24 * HOUR_MS).toBeLessThanOrEqual(after);
    expect([await ask(old.key), await ask(key)]).toEqual([200, 200]);
    expect(rowsOf(await read(headers)).find((row) => row.id === old.id)).toMatchObject({
      ...{ successor_id: rolled.id, expires_at: end, changed_by: { type: 'person', id, name } },
    });
  });

  it('without an end makes a key that lives as long as the old one was made to live', async () => {
    const { headers } = await signedIn();
    const machine = await aMachine('read,keys', `expires_at = now() + interval '10 days'`);
    const ending = async (life: string) => {
      const { id } = await created(headers);
      await api.database.query(
        `UPDATE api_keys SET created_at = now() - interval '5 days', expires_at = now() - interval '5 days' + $2::interval
         WHERE id = $1`,
        [id, life],
      );
      return id;
    };
    const daysOf = async (asker: Headers, id: string, more: object = {}) => {
      const end = dataOf(await roll(asker, id, { overlap_hours: 1, ...more }))['expires_at'] as string | null;
      return end === null ? null : (Date.parse(end) - Date.now()) / (24 * HOUR_MS);
    };

    expect(await daysOf(headers, (await created(headers)).id)).toBeNull();
    expect(await daysOf(headers, await ending('90 days'))).toBeCloseTo(90, 2);
    expect(await daysOf(headers, await ending('90 days'), { expires_at: null })).toBeNull();
    expect(await daysOf(machine, await ending('90 days'))).toBeCloseTo(10, 2);
    expect(await daysOf(machine, await ending('8 days'))).toBeCloseTo(8, 2);
    expect((await roll(machine, await ending('8 days'), { overlap_hours: 1, expires_at: null })).statusCode).toBe(422);
  });

  it('without an overlap ends the old key at once', async () => {
    const { headers } = await signedIn();
    const old = await created(headers);

    expect((await roll(headers, old.id, { overlap_hours: 0 })).statusCode).toBe(201);
    expect(await ask(old.key)).toBe(403);
  });

  it('at the same time as others makes one successor', async () => {
    const { headers } = await signedIn();
    const { id } = await created(headers);

    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => roll(headers, id)));

    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 422, 422, 422, 422]);
    const refused = answers.find(({ statusCode }) => statusCode === 422) as LightMyRequestResponse;
    expect(refusalOf(refused)).toMatchObject([422, 'api_key_not_active', expect.stringContaining('already rolled')]);
  });

  it.each<[string, string, ApiKeyScope, string, string]>([
    [
      'with more words',
      '',
      'read,stock',
      '',
      'scope of the key must not contain stock: the allowed scopes are read, orders',
    ],
    ['that is full', '', 'full', '', 'scope of the key must not contain full: the allowed scopes are read, orders'],
    [
      'with keys, such as itself',
      '',
      'read,keys',
      '',
      'scope of the key must not contain keys: the allowed scopes are read, orders',
    ],
    ['of any network', `networks = '{127.0.0.0/8}'`, 'read', '', 'networks of the key must be within 127.0.0.0/8'],
    ['that is trusted', '', 'read', 'trusted = true', 'only a person can roll or activate a trusted key'],
  ])('and an activation by a machine are refused for a key %s', async (_what, makers, scope, olds, error) => {
    const maker = await aMachine('read,orders,keys', makers);
    const old = await aMachine(scope, olds);
    const id = await idOf(old);

    expect(refusalOf(await roll(maker, id))).toEqual([422, 'exceeds_maker', error.replace('the key', 'the old key')]);
    expect((await change(maker, id, 'deactivate')).statusCode).toBe(200);
    expect(refusalOf(await change(maker, id, 'activate'))).toEqual([422, 'exceeds_maker', error]);
  });

  it.each([
    ['2161 hours', { overlap_hours: 2161 }],
    ['no overlap', {}],
    ['text', { overlap_hours: '1' }],
  ])('with %s is refused', async (_what, body) => {
    const { headers } = await signedIn();
    const { id } = await created(headers);
    const error = 'overlap_hours must be an integer from 0 to 2160';

    expect(refusalOf(await roll(headers, id, body))).toEqual([400, 'invalid_request', error]);
  });
});

/** Returns the id of the key in the header. */
const idOf = async ({ authorization = '' }: Headers): Promise<string> => {
  const [row] = await api.database.query<{ id: string }>(
    'SELECT id FROM api_keys WHERE store_id = $1 AND last_four = $2',
    [...[api.store.id, authorization.slice(-4)]],
  );
  return row?.id ?? '';
};

describe('the status of a key', () => {
  it('is effective at the next request, and REVOKED is final', async () => {
    const { headers, id: personId } = await signedIn();
    const { id, key } = await created(headers);

    expect(dataOf(await change(headers, id, 'deactivate'))).toMatchObject({ id, status: 'DEACTIVATED' });
    expect(await ask(key)).toBe(403);
    expect(dataOf(await change(headers, id, 'activate'))).toMatchObject({ id, status: 'ACTIVE' });
    expect(await ask(key)).toBe(200);
    const revoked = dataOf(await change(headers, id, 'revoke'));
    expect(revoked).toMatchObject({ id, status: 'REVOKED', changed_by: { type: 'person', id: personId } });
    expect(await ask(key)).toBe(403);
    expect(dataOf(await change(headers, id, 'revoke'))).toMatchObject({ changed_at: revoked['changed_at'] });
    for (const verb of ['activate', 'deactivate']) {
      expect(refusalOf(await change(headers, id, verb))).toEqual([
        ...[422, 'api_key_not_active', 'The key is revoked, which is final: create a new key'],
      ]);
    }
  });

  it('is that of the store’s own keys: a session and a key of another store are 404', async () => {
    const { headers } = await signedIn();
    const other = await api.withStore();
    const theirs = await signedIn('owner', 0, other);
    const { id: foreign } = await created(theirs.headers);
    const [session] = await api.database.query<{ id: string }>(
      'SELECT id FROM api_keys WHERE store_id = $1 AND person_id IS NOT NULL ORDER BY id DESC LIMIT 1',
      [api.store.id],
    );
    const ids = [foreign, session?.id ?? '', '01a20066-13fe-7403-821d-09fa5dc281da', 'x'];

    for (const id of ids) {
      for (const verb of ['revoke', 'deactivate', 'activate', 'roll']) {
        const answer = await change(headers, id, verb, verb === 'roll' ? { overlap_hours: 0 } : undefined);
        expect(refusalOf(answer)).toEqual([404, 'not_found', 'Key not found']);
      }
    }
    expect(rowsOf(await read(headers)).map(({ id }) => id)).not.toEqual(expect.arrayContaining([session?.id]));
  });

  it('is that of the mode of a machine: it reaches no key of the other mode', async () => {
    const { headers } = await signedIn();
    const live = await created(headers);
    const test = await created(headers, { mode: 'test' });
    const maker = await aMachine('read,keys');

    expect(refusalOf(await change(maker, test.id, 'revoke'))).toEqual([404, 'not_found', 'Key not found']);
    expect((await change(maker, live.id, 'revoke')).statusCode).toBe(200);
    expect(rowsOf(await read(maker)).every(({ mode }) => mode === 'live')).toBe(true);
    expect(rowsOf(await read(headers)).map(({ mode }) => mode)).toContain('test');
  });
});

describe('the use of keys', () => {
  it('has the requests and the refusals by code of each key and day', async () => {
    const { headers } = await signedIn();
    const { id, key } = await created(headers, { name: 'Shop', scope: ['orders'] });
    await ask(key);
    for (const url of ['/v1/orders/1', '/v1/orders/2', '/v1/keys']) await read(bearer(key), url);
    await change(headers, id, 'revoke');
    await ask(key);
    await api.app.get(KeyUsage, { strict: false }).flush();

    const use = await read(headers, '/v1/keys/usage?days=1&limit=100');

    const refused = { not_found: 2, insufficient_scope: 1, api_key_inactive: 1 };
    const day = new Date().toISOString().slice(0, 10);
    expect(rowsOf(use)).toContainEqual({ key_id: id, name: 'Shop', day, requests: 4, throttled: 0, refused });
    expect(rowsOf(await read(headers)).find((row) => row.id === id)).toMatchObject({
      ...{ requests_7_days: 4, refused_7_days: 4 },
    });
  });

  it('is that of the mode of a machine, and that of both modes for a person', async () => {
    const { headers } = await signedIn();
    const made = [await created(headers), await created(headers, { mode: 'test' })];
    for (const { key } of made) await ask(key);
    await api.app.get(KeyUsage, { strict: false }).flush();

    const ids = made.map(({ id }) => id);
    const shown = async (asker: Headers) =>
      rowsOf(await read(asker, '/v1/keys/usage?days=1&limit=100'))
        .map((row) => String(row['key_id']))
        .filter((id) => ids.includes(id))
        .sort();
    const machine = async (mode: 'live' | 'test') => bearer(await api.store.createKey(mode, 'read,keys'));

    expect(await shown(await machine('live'))).toEqual(ids.slice(0, 1));
    expect(await shown(await machine('test'))).toEqual(ids.slice(1));
    expect(await shown(headers)).toEqual([...ids].sort());
  });

  it.each(['0', '367', 'x', ''])('of %j days is refused', async (days) => {
    const { headers } = await signedIn();
    const error = 'days must be an integer from 1 to 366';

    expect(refusalOf(await read(headers, `/v1/keys/usage?days=${days}`))).toEqual([400, 'invalid_request', error]);
  });
});
