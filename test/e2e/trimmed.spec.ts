import { trimmed } from '../../libs/infrastructure/src/postgres/trimmed.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('trimmed in SQL', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it('removes the characters that trim() of JavaScript removes, and no other', async () => {
    // PostgreSQL stores neither U+0000 nor half a surrogate pair.
    const characters = Array.from({ length: 0xffff }, (_, n) => String.fromCharCode(n + 1)).filter(
      (character) => !/\p{Surrogate}/u.test(character),
    );

    const rows = await database.query<{ character: string }>(
      `SELECT character FROM unnest($1::text[]) AS character WHERE ${trimmed('character')} = ''`,
      [characters],
    );

    const removed = characters.filter((character) => character.trim() === '');
    expect(rows.map(({ character }) => character).sort()).toEqual(removed.sort());
    expect(removed).toHaveLength(25);
  });
});
