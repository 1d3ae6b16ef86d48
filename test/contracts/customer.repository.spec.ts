import { CustomerRepository, type CustomerFilter, type CustomerRecord } from '@app/application';
import { v7 as uuidv7 } from 'uuid';
import { aCustomer } from '../builders/records.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryCustomerRepository } from '../support/in-memory/in-memory-customer.repository.js';
import { startApi } from '../support/start-api.js';

/** The repository with two stores and a method that adds customers to them. */
interface Subject {
  readonly customers: CustomerRepository;
  readonly storeId: number;
  readonly otherStoreId: number;
  give(storeId: number, customer: CustomerRecord): Promise<CustomerRecord>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const customers = new InMemoryCustomerRepository();
  return Promise.resolve({
    customers,
    storeId: 1,
    otherStoreId: 2,
    give: (storeId, customer) => {
      customers.add(storeId, customer);
      return Promise.resolve(customer);
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  return {
    customers: api.app.get(CustomerRepository, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    give: async (storeId, customer) => {
      const { emailVerified, loyaltyPoints, totalSpent, createdAt, lastLogin, ...columns } = customer;
      await (storeId === other.id ? other : api.store).customer({
        ...columns,
        email_verified: emailVerified,
        loyalty_points: loyaltyPoints,
        total_spent: totalSpent,
        created_at: createdAt,
        last_login: lastLogin,
      });
      return customer;
    },
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('CustomerRepository %s', (_name, open) => {
  let subject: Subject;
  let ada: CustomerRecord;
  let bob: CustomerRecord;

  beforeAll(async () => {
    subject = await open();
    const { storeId, otherStoreId } = subject;
    const createdAt = new Date('2026-01-01T00:00:00.001Z');
    await subject.give(storeId, aCustomer({ name: 'Élodie', createdAt, status: 'Blocked' }));
    bob = await subject.give(storeId, aCustomer({ name: 'Bob 100%', createdAt }));
    ada = await subject.give(
      storeId,
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
    await subject.give(otherStoreId, aCustomer({ name: 'Theirs', email: 'theirs@example.test', status: 'Theirs' }));
  });
  afterAll(() => subject.close());

  const names = async (filter: CustomerFilter, page = 1, limit = 50) => {
    const { rows, total } = await subject.customers.list(subject.storeId, filter, { page, limit });
    return [total, ...rows.map(({ name }) => name)];
  };

  it("lists a store's customers of every status, newest first, then by id", async () => {
    expect(await names({})).toEqual([3, 'Ada Lovelace', 'Bob 100%', 'Élodie']);
  });

  it('lists a page with the total of all pages', async () => {
    expect(await names({}, 2, 2)).toEqual([3, 'Élodie']);
    expect(await names({}, 3, 2)).toEqual([3]);
    expect(await names({}, 21_474_836, 100)).toEqual([3]);
  });

  it('lists full records', async () => {
    const { rows } = await subject.customers.list(subject.storeId, {}, { page: 1, limit: 2 });

    expect(rows).toEqual([ada, bob]);
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

  it('finds a customer by id, in any letter case', async () => {
    expect(await subject.customers.findById(subject.storeId, ada.id)).toEqual(ada);
    expect(await subject.customers.findById(subject.storeId, ada.id.toUpperCase())).toEqual(ada);
  });

  it('finds no customer of another store and no unknown customer', async () => {
    const { customers, storeId, otherStoreId } = subject;

    expect(await customers.findById(otherStoreId, ada.id)).toBeNull();
    expect(await customers.findById(storeId, uuidv7())).toBeNull();
  });
});
