import {
  CustomerRepository,
  ERASED_NAME,
  PersonalData,
  StoreRepository,
  SubdomainTaken,
  type CustomerFilter,
  type CustomerRecord,
  type PersonsOrder,
  type StoreProfile,
} from '@app/application';
import { MaintenanceConnection, PostgresPersonalData } from '@app/infrastructure';
import { aStoreProfile } from '../builders/order-record.js';
import { aCustomer } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

describe('StoreRepository', () => {
  let stores: StoreRepository;
  beforeAll(() => {
    stores = application.app.get(StoreRepository, { strict: false });
  });

  /** Stores the settings that operators import. */
  async function configure(profile: StoreProfile): Promise<void> {
    await application.database.query(
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
      await application.database.query('INSERT INTO gateway_credentials VALUES ($1, $2, $3)', [
        profile.id,
        method,
        sealed,
      ]);
    }
  }

  const create = (subdomain: string) => stores.create({ subdomain, name: 'Acme', currency: 'JPY' });

  it('creates an active store, and finds it', async () => {
    const created = await create('acme');

    expect(created).toEqual({
      id: expect.any(Number) as number,
      createdAt: expect.any(Date) as Date,
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

describe('CustomerRepository', () => {
  let customers: CustomerRepository;
  let store: StoreFixture;
  let other: StoreFixture;

  const give = async (to: StoreFixture, customer: CustomerRecord): Promise<CustomerRecord> => {
    const { emailVerified, loyaltyPoints, totalSpent, createdAt, lastLogin, ...columns } = customer;
    await to.customer({
      ...columns,
      email_verified: emailVerified,
      loyalty_points: loyaltyPoints,
      total_spent: totalSpent,
      created_at: createdAt,
      last_login: lastLogin,
    });
    return customer;
  };

  beforeAll(async () => {
    customers = application.app.get(CustomerRepository, { strict: false });
    store = await StoreFixture.create(application.database);
    other = await StoreFixture.create(application.database);
    const createdAt = new Date('2026-01-01T00:00:00.001Z');
    await give(store, aCustomer({ name: 'Élodie', createdAt, status: 'Blocked' }));
    await give(store, aCustomer({ name: 'Bob 100%', createdAt }));
    await give(
      store,
      aCustomer({
        name: 'Ada Lovelace',
        email: 'Ada_L@Example.test',
        phone: '+1 555 0100',
        status: 'Inactive',
        emailVerified: true,
        loyaltyPoints: 7,
        totalSpent: 5_000_000_000,
        tags: ['vip', 'with "quotes", commas'],
        city: 'London',
        createdAt: new Date('2026-02-01T00:00:00.002Z'),
        lastLogin: new Date('2026-03-01T00:00:00.003Z'),
      }),
    );
    await give(other, aCustomer({ name: 'Theirs', email: 'theirs@example.test', status: 'Theirs' }));
  });

  const names = async (filter: CustomerFilter, page = 1, limit = 50) => {
    const { rows, total } = await customers.list(store.id, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's customers of every status, newest first, then by id", async () => {
    expect(await names({})).toEqual([3, 'Ada Lovelace', 'Bob 100%', 'Élodie']);
  });

  it.each<[CustomerFilter, ...string[]]>([
    [{ status: 'iNACTIVE' }, 'Ada Lovelace'],
    [{ status: 'active' }, 'Bob 100%'],
    [{ status: 'act%' }],
    [{ status: 'theirs' }],
    [{ status: 'Active\0' }],
    [{ search: 'LOVE' }, 'Ada Lovelace'],
    [{ search: 'ada_l@EXAMPLE' }, 'Ada Lovelace'],
    [{ search: 'éLO' }, 'Élodie'],
    [{ search: 'lo' }, 'Ada Lovelace', 'Élodie'],
    [{ search: '_' }, 'Ada Lovelace'],
    [{ search: '%' }, 'Bob 100%'],
    [{ search: '\\' }],
    [{ search: 'london' }],
    [{ search: '555' }],
    [{ search: 'theirs' }],
    [{ search: 'Bob\0' }],
    [{ search: '\ud800' }],
    [{ search: 'lo', status: 'BLOCKED' }, 'Élodie'],
  ])('filters by %j', async (filter, ...expected) => {
    expect(await names(filter)).toEqual([expected.length, ...expected]);
  });
});

const ADA = 'Ada@Example.com';
const ORDERS = [
  { receipt: 'POS-A', email: '\u00a0ADA@example.com\t', linked: false },
  { receipt: 'POS-B', email: 'older@example.com', linked: true },
  { receipt: 'POS-C', email: 'bob@example.com', linked: false },
  { receipt: 'POS-D', email: '', linked: false },
  { receipt: 'POS-E', email: 'vera@example.dev', linked: false },
];
/** Two forms of Ada's e-mail, her older one, and Bob's. */
const BLOCKED = ['\tADA@example.com\u00a0', 'ada@example.com', 'Older@example.com', 'bob@example.com'];
const STATE = { status: 'SUCCEEDED', fulfillmentStatus: 'DELIVERED' } as const;

const nothing = () => undefined;

describe('PersonalData', () => {
  let people: PersonalData;
  let storeId: number;
  let otherStoreId: number;

  /** Two stores with the same people: Ada with an account and two orders, one under an older e-mail, and Bob. */
  beforeEach(async () => {
    people = new PostgresPersonalData(new MaintenanceConnection(application.database.url));
    const stores = [
      await StoreFixture.create(application.database),
      await StoreFixture.create(application.database),
    ] as const;
    for (const store of stores) {
      const ada = await store.customer({ name: 'Ada', email: ADA });
      await store.customer({ name: 'Bob', email: 'bob@example.com' });
      for (const { receipt, email, linked } of ORDERS) {
        const customer = { customer_name: receipt, customer_email: email, customer_id: linked ? ada : null };
        await store.order({ receipt_number: receipt, ...customer });
      }
      const settings = { blocked_emails: BLOCKED };
      await application.database.query('UPDATE stores SET fraud_settings = $2 WHERE id = $1', [store.id, settings]);
    }
    [storeId, otherStoreId] = [stores[0].id, stores[1].id];
  });

  /** Names and e-mails of customers, names of orders by receipt number, and the blocked e-mails. */
  const contents = async (id: number): Promise<string[]> => {
    const rows = await application.database.query<{ text: string }>(
      `SELECT name || ' ' || email AS text FROM customers WHERE store_id = $1
       UNION ALL SELECT receipt_number || ' ' || customer_name || ' ' || customer_email FROM orders WHERE store_id = $1
       UNION ALL SELECT jsonb_array_elements_text(fraud_settings -> 'blocked_emails') FROM stores WHERE id = $1`,
      [id],
    );
    return rows.map(({ text }) => text).sort();
  };

  it('collects the customer, the orders with the e-mail and the linked orders, and nothing of others', async () => {
    const before = await contents(storeId);

    const { customer, orders, blocked, secrets } = await people.collect(storeId, 'ada@EXAMPLE.com');

    expect(customer).toMatchObject({ name: 'Ada', email: ADA });
    expect(orders).toMatchObject([{ receipt_number: 'POS-A' }, { receipt_number: 'POS-B' }]);
    expect([blocked, secrets]).toEqual([true, []]);
    expect(await contents(storeId)).toEqual(before);
  });

  it('erases the customer, the orders with the e-mail and the linked orders, and nothing of others', async () => {
    const before = await contents(otherStoreId);

    const erasure = await people.erase(storeId, 'ada@EXAMPLE.com', nothing);

    expect(erasure).toEqual({ customers: 1, orders: 2, blockedContacts: 3 });
    expect(await contents(storeId)).toEqual(
      [
        ...['Bob bob@example.com', `${ERASED_NAME} `, `POS-A ${ERASED_NAME} `, `POS-B ${ERASED_NAME} `],
        ...['POS-C POS-C bob@example.com', 'POS-D POS-D ', 'POS-E POS-E vera@example.dev', 'bob@example.com'],
      ].sort(),
    );
    expect(await contents(otherStoreId)).toEqual(before);
  });

  it('passes the orders to the check, and erases nothing when it throws', async () => {
    const before = await contents(storeId);
    const seen: PersonsOrder[] = [];

    const refused = people.erase(storeId, ADA, (orders) => {
      seen.push(...orders);
      throw new Error('refused');
    });

    await expect(refused).rejects.toThrow('refused');
    expect(
      seen.map(({ receiptNumber, status, fulfillmentStatus }) => [receiptNumber, status, fulfillmentStatus]),
    ).toEqual([
      ['POS-A', STATE.status, STATE.fulfillmentStatus],
      ['POS-B', STATE.status, STATE.fulfillmentStatus],
    ]);
    expect(await contents(storeId)).toEqual(before);
  });
});
