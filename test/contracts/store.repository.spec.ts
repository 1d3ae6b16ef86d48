import { StoreRepository, SubdomainTaken } from '@app/application';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('StoreRepository on PostgreSQL', () => {
  let api: RunningApi;
  let stores: StoreRepository;
  beforeAll(async () => {
    api = await startApi();
    stores = api.app.get(StoreRepository, { strict: false });
  });
  afterAll(() => api.stop());

  it('creates an active store, and finds and lists it', async () => {
    const created = await stores.create({ subdomain: 'acme', name: 'Acme', currency: 'JPY' });

    expect(created).toEqual({
      id: expect.any(Number) as number,
      subdomain: 'acme',
      name: 'Acme',
      currency: 'JPY',
      status: 'ACTIVE',
    });
    expect(await stores.findBySubdomain('acme')).toEqual(created);
    expect((await stores.list()).map(({ id }) => id)).toEqual([api.store.id, created.id]);
  });

  it('refuses a subdomain that is taken', async () => {
    const twin = { subdomain: api.store.subdomain, name: 'Twin', currency: 'USD' };

    await expect(stores.create(twin)).rejects.toThrow(SubdomainTaken);
  });

  it('sets the status, and leaves the rest alone', async () => {
    const before = await stores.findBySubdomain(api.store.subdomain);

    expect(await stores.setStatus(api.store.subdomain, 'INACTIVE')).toEqual({ ...before, status: 'INACTIVE' });
    expect(await stores.setStatus(api.store.subdomain, 'ACTIVE')).toEqual(before);
  });

  it('has nothing for a store that does not exist', async () => {
    expect(await stores.findBySubdomain('nobody')).toBeNull();
    expect(await stores.setStatus('nobody', 'INACTIVE')).toBeNull();
    expect(await stores.findProfile(999_999_999)).toBeNull();
  });

  it('tells which payment methods have credentials, of this store alone', async () => {
    for (const method_id of ['stripe', 'paypal']) {
      await api.store.row('gateway_credentials', { method_id, credentials: Buffer.from('sealed') });
    }
    const other = await stores.create({ subdomain: 'other', name: 'Other', currency: 'USD' });

    expect((await stores.findProfile(api.store.id))?.methodsWithCredentials).toEqual(['paypal', 'stripe']);
    expect((await stores.findProfile(other.id))?.methodsWithCredentials).toEqual([]);
  });
});
