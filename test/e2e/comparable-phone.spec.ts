import { comparablePhone } from '@app/domain';
import { seededRandom } from '../support/seeded-random.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Digits of two scripts, prefixes, separators, spaces of three kinds, letters. */
const SYMBOLS = [
  '0',
  '00',
  '1',
  '5',
  '9',
  '+',
  '-',
  '(',
  ')',
  '.',
  '/',
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '٣',
  'x',
  'é',
  '😀',
];

describe('comparable_phone in SQL and comparablePhone in TypeScript', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  const inSql = async (phones: readonly string[]) => {
    const rows = await database.query<{ comparable: string }>(
      `SELECT coalesce(comparable_phone(phone), '') AS comparable
       FROM unnest($1::text[]) WITH ORDINALITY AS given (phone, n) ORDER BY n`,
      [phones],
    );
    return rows.map(({ comparable }) => comparable);
  };

  it('reduce a phone number to its digits without the prefix 00', async () => {
    const phones = ['+1 (555) 010-0', '001-555-0100', 'call 1555 0100', '00', '0044', '000044', '', 'n/a', '٣٣'];
    const digits = ['15550100', '15550100', '15550100', '', '44', '0044', '', '', ''];

    expect(await inSql(phones)).toEqual(digits);
    expect(phones.map(comparablePhone)).toEqual(digits);
  });

  it('agree on a thousand random texts', async () => {
    const random = seededRandom(20261121);
    const phones = Array.from({ length: 1_000 }, () =>
      Array.from({ length: random(12) }, () => SYMBOLS[random(SYMBOLS.length)]).join(''),
    );

    expect(await inSql(phones)).toEqual(phones.map(comparablePhone));
  });
});
