import { ERASED_NAME, PersonalData, type PersonsOrder } from '@app/application';
import { MaintenanceConnection, PostgresPersonalData } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryPersonalData, type HeldPeople } from '../support/in-memory/in-memory-personal-data.js';
import { createTestDatabase } from '../support/test-database.js';

/** Two stores with the same people: Ada with an account and two orders, one of them under an older e-mail, and Bob. */
interface Subject {
  readonly people: PersonalData;
  readonly storeId: number;
  readonly otherStoreId: number;
  /** Names and e-mails of customers, names of orders by receipt number, and the blocked e-mails. */
  readonly contents: (storeId: number) => Promise<readonly string[]>;
  close(): Promise<void>;
}

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

function inMemory(): Promise<Subject> {
  const people = (): HeldPeople => ({
    customers: [
      { id: '1', name: 'Ada', email: ADA },
      { id: '2', name: 'Bob', email: 'bob@example.com' },
    ],
    orders: ORDERS.map(({ receipt, email, linked }) => ({
      ...{ receiptNumber: receipt, ...STATE, email, name: receipt, customerId: linked ? '1' : null },
    })),
    blockedEmails: [...BLOCKED],
  });
  const stores = new Map([1, 2].map((id) => [id, people()]));
  return Promise.resolve({
    people: new InMemoryPersonalData(stores),
    storeId: 1,
    otherStoreId: 2,
    contents: (storeId) => {
      const { customers, orders, blockedEmails } = stores.get(storeId) as HeldPeople;
      const rows = [
        ...customers.map(({ name, email }) => `${name} ${email}`),
        ...orders.map(({ receiptNumber, name, email }) => `${receiptNumber} ${name} ${email}`),
        ...blockedEmails,
      ];
      return Promise.resolve(rows.sort());
    },
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const database = await createTestDatabase();
  const stores = [await StoreFixture.create(database), await StoreFixture.create(database)] as const;
  for (const store of stores) {
    const ada = await store.customer({ name: 'Ada', email: ADA });
    await store.customer({ name: 'Bob', email: 'bob@example.com' });
    for (const { receipt, email, linked } of ORDERS) {
      const customer = { customer_name: receipt, customer_email: email, customer_id: linked ? ada : null };
      await store.order({ receipt_number: receipt, ...customer });
    }
  }
  await database.query('UPDATE stores SET fraud_settings = $1', [{ blocked_emails: BLOCKED }]);
  const rows = `
    SELECT name || ' ' || email AS text FROM customers WHERE store_id = $1
    UNION ALL SELECT receipt_number || ' ' || customer_name || ' ' || customer_email FROM orders WHERE store_id = $1
    UNION ALL SELECT jsonb_array_elements_text(fraud_settings -> 'blocked_emails') FROM stores WHERE id = $1`;
  return {
    people: new PostgresPersonalData(new MaintenanceConnection(database.url)),
    storeId: stores[0].id,
    otherStoreId: stores[1].id,
    contents: async (storeId) =>
      (await database.query<{ text: string }>(rows, [storeId])).map(({ text }) => text).sort(),
    close: () => database.drop(),
  };
}

const nothing = () => undefined;

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('PersonalData %s', (_, create) => {
  let subject: Subject;
  beforeEach(async () => (subject = await create()));
  afterEach(() => subject.close());

  it('erases the customer, the orders with the e-mail and the linked orders, and nothing of others', async () => {
    const { people, storeId, otherStoreId, contents } = subject;
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

  it('trims blanks of e-mails, and no letters', async () => {
    const { people, storeId } = subject;

    expect(await people.erase(storeId, 'vera@example.dev', nothing)).toMatchObject({ orders: 1 });
  });

  it('finds nothing to erase a second time', async () => {
    const { people, storeId, contents } = subject;
    await people.erase(storeId, ADA, nothing);
    const before = await contents(storeId);

    expect(await people.erase(storeId, ADA, nothing)).toEqual({ customers: 0, orders: 0, blockedContacts: 0 });
    expect(await contents(storeId)).toEqual(before);
  });

  it('passes the orders to the check, and erases nothing when it throws', async () => {
    const { people, storeId, contents } = subject;
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
