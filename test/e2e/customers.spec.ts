import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi();
  await api.database.query('INSERT INTO price_lists (store_id, code, name) VALUES ($1, $2, $2)', [
    ...[api.store.id, 'WHOLESALE'],
  ]);
});
afterAll(() => api.stop());

const change = async (id: string, payload: object, key = api.store.key) => {
  const headers = { authorization: `Bearer ${key}` };
  return api.inject({ method: 'PATCH', url: `/v1/customers/${id}`, headers, payload });
};
const read = async (id: string) => (await api.get(`/v1/customers/${id}`)).json<{ data: object }>().data;

const changes = async (since: string) =>
  (await api.get(`/v1/changes?cursor=${since}`)).json<{ data: object[]; cursor: string }>();
const cursor = async () => (await changes('now')).cursor;
const changesSince = async (since: string) => (await changes(since)).data;

const EMPTY_ADDRESS = {
  ...{ label: '', company: '', vat_id: '', address: '', address2: '', city: '', zip: '', region: '', country: '' },
};
const COMPANY = {
  ...{ company: 'Zuse KG', vat_id: 'DE811', groups: ['b2b', 'eu'], price_list: 'WHOLESALE', payment_terms_days: 30 },
  addresses: [{ ...EMPTY_ADDRESS, label: 'Plant', city: 'Hünfeld', country: 'DE' }],
  contacts: [{ name: 'Buyer', email: 'buyer@zuse.example', phone: '+49 5', role: 'buyer' }],
  metadata: { erp_id: '4711', region: 'north' },
};
const NOTHING = {
  ...{ company: '', vat_id: '', groups: [], price_list: null, payment_terms_days: null },
  ...{ addresses: [], contacts: [] },
};

describe('a change of a customer', () => {
  it('answers the customer as the next read has it, and changes nothing when it is repeated', async () => {
    const id = await api.store.customer();

    const changed = await change(id, COMPANY);

    expect(changed.statusCode).toBe(200);
    expect(changed.json()).toMatchObject({ success: true, data: { id, name: 'Ada Lovelace', ...COMPANY } });
    expect(await read(id)).toEqual(changed.json<{ data: object }>().data);
    const since = await cursor();
    expect((await change(id, COMPANY)).json()).toEqual(changed.json());
    expect(await changesSince(since)).toEqual([]);
  });

  it('leaves what it does not name, and null removes a field', async () => {
    const id = await api.store.customer();
    await change(id, COMPANY);

    const patched = await change(id, { company: 'Zuse AG', metadata: { region: null, note: 'x' } });
    expect(patched.json()).toMatchObject({
      data: { ...COMPANY, company: 'Zuse AG', metadata: { erp_id: '4711', note: 'x' } },
    });

    const nulls = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, null]));
    expect((await change(id, nulls)).json()).toMatchObject({ data: { ...NOTHING, metadata: { erp_id: '4711' } } });
    const { price_list: _, ...others } = NOTHING;
    await change(id, COMPANY);
    expect((await change(id, others)).json()).toMatchObject({ data: { ...others, price_list: 'WHOLESALE' } });
  });

  it('is a change of the feed, also where only a contact changes', async () => {
    const id = await api.store.customer();
    const start = await cursor();

    await change(id, { contacts: [{ name: 'Buyer' }] });

    expect(await changesSince(start)).toMatchObject([
      { kind: 'customers', id, data: { contacts: [{ name: 'Buyer', email: '' }] } },
    ]);
  });

  const contacts = (count: number, contact: object = {}) => Array.from({ length: count }, () => contact);
  it.each<[string, object, number, string]>([
    ['an unknown price list', { price_list: 'NONE' }, 422, 'The store has no price list NONE'],
    ['a field that there is not', { compny: 'x' }, 400, 'compny is not a field of this request'],
    ['a field of the account itself', { email: 'x@example.com' }, 400, 'email is not a field of this request'],
    ['a group twice', { groups: ['a', 'a'] }, 400, 'groups must be a list of at most 50 different texts'],
    ['a blank group', { groups: [''] }, 400, 'groups must be a list of at most 50 different texts'],
    ['too many groups', { groups: contacts(51).map((_, n) => `g${n}`) }, 400, 'groups must be a list of at most 50'],
    ['a long company', { company: 'x'.repeat(201) }, 400, 'company must be text of at most 200 characters'],
    ['too many days', { payment_terms_days: 366 }, 400, 'payment_terms_days must be an integer from 0 to 365'],
    ['no e-mail', { contacts: [{ email: 'a b@c' }] }, 400, 'contacts[0].email must be one e-mail address'],
    ['no country', { addresses: [{ country: 'XX' }] }, 400, 'addresses[0].country must be a country code'],
    ['too many contacts', { contacts: contacts(101) }, 400, 'contacts must have 0 to 100 entries'],
    ['too many addresses', { addresses: contacts(51) }, 400, 'addresses must have 0 to 50 entries'],
    [
      'contacts that are too large',
      {
        contacts: contacts(100, {
          name: 'x'.repeat(200),
          role: 'ä'.repeat(100),
          email: `${'y'.repeat(60)}@example.com`,
        }),
      },
      200,
      '',
    ],
    [
      'addresses that are too large',
      { addresses: contacts(50, { address: 'x'.repeat(500), address2: 'ä'.repeat(500) }) },
      422,
      'A customer can have at most 64 kB of addresses and contacts: shorten or remove some',
    ],
    ['too much metadata', { metadata: { ['k'.repeat(41)]: 'x' } }, 400, 'metadata must be an object of at most 50'],
  ])('with %s is answered by name', async (_case, body, status, error) => {
    const id = await api.store.customer();
    const before = await read(id);

    const answer = await change(id, body);

    expect(answer.statusCode).toBe(status);
    if (status === 200) return;
    expect(answer.json<{ error: string }>().error).toContain(error);
    expect(await read(id)).toEqual(before);
  });

  it('names the field of an unknown price list', async () => {
    const refused = await change(await api.store.customer(), { company: 'x', price_list: 'NONE' });

    expect(refused.headers['x-error-code']).toBe('unknown_price_list');
    expect(refused.json()).toMatchObject({ faults: [{ path: 'price_list' }] });
  });

  it('keeps the metadata of a customer within its limits', async () => {
    const id = await api.store.customer();
    const keys = (from: number) => Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`k${from + n}`, 'x']));
    expect((await change(id, { metadata: keys(0) })).statusCode).toBe(200);

    const refused = await change(id, { metadata: keys(26) });

    expect([refused.statusCode, refused.headers['x-error-code']]).toEqual([422, 'metadata_too_large']);
  });

  it('needs the scope, and a customer and a price list of the store', async () => {
    const other = await api.withStore();
    await api.database.query(`INSERT INTO price_lists (store_id, code, name) VALUES ($1, 'THEIRS', 'x')`, [
      other.store.id,
    ]);
    const [id, theirs] = [await api.store.customer(), await other.store.customer()];
    const company = { company: 'x' };

    expect((await change(id, company, await api.store.createKey('live', 'read,orders,catalog'))).statusCode).toBe(403);
    expect((await change(theirs, company)).statusCode).toBe(404);
    expect((await change('none', company)).statusCode).toBe(404);
    expect((await change(id, { price_list: 'THEIRS' })).headers['x-error-code']).toBe('unknown_price_list');
    expect((await other.get(`/v1/customers/${theirs}`)).json()).toMatchObject({ data: { company: '' } });
  });

  it('loses nothing where two requests change other parts at the same time', async () => {
    const id = await api.store.customer();
    const words = Array.from({ length: 8 }, (_, n) => `k${n}`);

    await Promise.all(words.map((word) => change(id, { metadata: { [word]: 'x' } })));

    expect(await read(id)).toMatchObject({ metadata: Object.fromEntries(words.map((word) => [word, 'x'])) });
  });
});

describe('the list of customers', () => {
  it('has addresses and contacts where it includes them, and nothing else', async () => {
    const { store, get } = await api.withStore();
    const contacts = [{ email: 'buyer@one.example' }];
    const id = await store.customer({ company: 'One', groups: ['b2b'], contacts: JSON.stringify(contacts) });
    const rows = async (include: string) =>
      (await get(`/v1/customers?group=b2b&${include}`)).json<{ data: Record<string, unknown>[] }>().data;

    expect(await rows('')).toMatchObject([{ id, company: 'One', vat_id: '', groups: ['b2b'], price_list: null }]);
    expect(Object.keys((await rows(''))[0] ?? {})).not.toContain('contacts');
    expect(await rows('include=addresses,contacts')).toMatchObject([
      { addresses: [], contacts: [{ name: '', email: 'buyer@one.example', phone: '', role: '' }] },
    ]);
  });

  it('refuses a page whose contacts are too large', async () => {
    const { store, get } = await api.withStore();
    const contacts = JSON.stringify(Array.from({ length: 100 }, () => ({ name: 'x'.repeat(600) })));
    for (let n = 0; n < 20; n++) await store.customer({ contacts });

    const refused = await get('/v1/customers?include=contacts');

    expect([refused.statusCode, refused.headers['x-error-code']]).toEqual([422, 'page_too_large']);
    expect((await get('/v1/customers')).statusCode).toBe(200);
  });
});
