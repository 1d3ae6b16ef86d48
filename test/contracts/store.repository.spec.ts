import { StoreRepository, SubdomainTaken, type StoreProfile } from '@app/application';
import { aStoreProfile } from '../builders/order-record.js';
import { startApi, type RunningApi } from '../support/start-api.js';

describe('StoreRepository', () => {
  let api: RunningApi;
  let stores: StoreRepository;
  beforeAll(async () => {
    api = await startApi();
    stores = api.app.get(StoreRepository, { strict: false });
  });
  afterAll(() => api.stop());

  /** Stores the settings that operators import. */
  async function configure(profile: StoreProfile): Promise<void> {
    await api.database.query(
      `UPDATE stores SET custom_domain = $2, logo_url = $3, primary_color = $4, seo_title = $5, contact = $6,
         theme = $7, payment_settings = $8, ecommerce_settings = $9
       WHERE id = $1`,
      [
        ...[profile.id, profile.customDomain, profile.logoUrl, profile.primaryColor, profile.seoTitle],
        ...[profile.contact, profile.theme, profile.paymentSettings, profile.ecommerceSettings],
      ],
    );
    // In the reverse order of the list.
    for (const method of [...profile.methodsWithCredentials].reverse()) {
      const sealed = Buffer.from('sealed');
      await api.database.query('INSERT INTO gateway_credentials VALUES ($1, $2, $3)', [profile.id, method, sealed]);
    }
  }

  const create = (subdomain: string) => stores.create({ subdomain, name: 'Acme', currency: 'JPY' });

  it('creates an active store, and finds it', async () => {
    const created = await create('acme');

    expect(created).toEqual({
      id: expect.any(Number) as number,
      subdomain: 'acme',
      name: 'Acme',
      currency: 'JPY',
      status: 'ACTIVE',
    });
    expect(await stores.findBySubdomain('acme')).toEqual(created);
  });

  it('creates a store without settings', async () => {
    const created = await create('plain');

    expect(await stores.findProfile(created.id)).toEqual({
      ...created,
      customDomain: '',
      logoUrl: '',
      primaryColor: '',
      seoTitle: '',
      contact: {},
      theme: {},
      paymentSettings: {},
      methodsWithCredentials: [],
      ecommerceSettings: {},
    });
  });

  it('rejects a subdomain that is in use, and does not change its store', async () => {
    const first = await create('taken');

    const second = stores.create({ subdomain: 'taken', name: 'Twin', currency: 'USD' });

    await expect(second).rejects.toThrow(SubdomainTaken);
    expect(await stores.findBySubdomain('taken')).toEqual(first);
  });

  it('lists all stores by id, even after a change', async () => {
    const created = [await create('zeta'), await create('eta')];
    await stores.setStatus('zeta', 'INACTIVE');

    const listed = await stores.list();

    const [zeta, eta] = created;
    expect(listed.slice(-2)).toEqual([{ ...zeta, status: 'INACTIVE' }, eta]);
    expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).sort((a, b) => a - b));
  });

  it('sets the status and nothing else', async () => {
    const before = await create('moody');

    expect(await stores.setStatus('moody', 'INACTIVE')).toEqual({ ...before, status: 'INACTIVE' });
    expect(await stores.findProfile(before.id)).toMatchObject({ ...before, status: 'INACTIVE' });
    expect(await stores.setStatus('moody', 'ACTIVE')).toEqual(before);
  });

  it('reads the profile of one store as configured', async () => {
    const other = await create('other');
    const profile = aStoreProfile({
      ...(await create('configured')),
      seoTitle: 'Acme: mugs',
      theme: { font: 'Inter' },
      paymentSettings: { methods: [{ id: 'stripe', enabled: true }] },
      methodsWithCredentials: ['paypal', 'stripe'],
      ecommerceSettings: { shipping: { flat: 500 } },
    });

    await configure(profile);

    expect(await stores.findProfile(profile.id)).toEqual(profile);
    expect(await stores.findProfile(other.id)).toMatchObject({ seoTitle: '', methodsWithCredentials: [] });
  });

  it('returns null for an unknown store', async () => {
    expect(await stores.findBySubdomain('nobody')).toBeNull();
    expect(await stores.setStatus('nobody', 'INACTIVE')).toBeNull();
    expect(await stores.findProfile(999_999_999)).toBeNull();
  });
});
