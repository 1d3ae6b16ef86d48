import { customerOfEmail } from '../../libs/infrastructure/src/lists/customer-email.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let store: StoreFixture;
beforeAll(async () => {
  database = await createTestDatabase();
  store = await StoreFixture.create(database);
});
afterAll(() => database.drop());

const withContacts = (...emails: string[]) => ({
  contacts: JSON.stringify(emails.map((email) => ({ name: 'Buyer', email }))),
});

describe('The customer of an e-mail', () => {
  const find = async (email: string, storeId = store.id) => {
    const text = `SELECT ${customerOfEmail('$1', '$2')} AS id`;
    const [row] = await database.query<{ id: string | null }>(text, [storeId, email]);
    return row?.id;
  };

  it('is the account with the e-mail, in any letter case, before an account with such a contact', async () => {
    const ada = await store.customer({ email: 'Ada@main.example' });
    await store.customer({ email: 'other@main.example', ...withContacts('ada@main.example') });

    expect(await find('aDA@main.example')).toBe(ada);
  });

  it('is the only one with such a contact, however often, in any letter case', async () => {
    const company = await store.customer({ email: '', ...withContacts('Buyer@one.example', 'buyer@ONE.example', '') });

    expect(await find('BUYER@one.example')).toBe(company);
  });

  it('is none while two accounts have such a contact', async () => {
    const first = await store.customer({ email: '', ...withContacts('info@two.example') });
    const second = await store.customer({ email: '', ...withContacts('info@two.example', 'b@two.example') });
    expect(await find('info@two.example')).toBeNull();

    await database.query('UPDATE customers SET contacts = $3 WHERE store_id = $1 AND id = $2', [
      ...[store.id, second],
      withContacts('b@two.example').contacts,
    ]);

    expect([await find('info@two.example'), await find('b@two.example')]).toEqual([first, second]);
  });

  it('is none of another store, and none for an empty e-mail', async () => {
    const other = await StoreFixture.create(database);
    await other.customer({ email: 'main@other.example', ...withContacts('buyer@other.example') });
    await store.customer({ email: '', ...withContacts('') });

    expect(await find('main@other.example')).toBeNull();
    expect(await find('buyer@other.example')).toBeNull();
    expect(await find('')).toBeNull();
  });
});
