import { isReceiptNumber } from '@app/domain';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('the check of receipt numbers in SQL and isReceiptNumber in TypeScript', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  async function inSql(texts: readonly string[]): Promise<boolean[]> {
    const [check] = await database.query<{ condition: string }>(
      `SELECT pg_get_expr(conbin, conrelid) AS condition FROM pg_constraint
       WHERE conrelid = 'orders'::regclass AND conname = 'orders_receipt_number_check'`,
    );
    const rows = await database.query<{ valid: boolean }>(
      `SELECT ${check?.condition} AS valid FROM unnest($1::text[]) WITH ORDINALITY AS given (receipt_number, n) ORDER BY n`,
      [texts],
    );
    return rows.map(({ valid }) => valid);
  }

  it('agree on lengths, letters and line breaks', async () => {
    const accepted = ['1', 'POS-0000123', 'WEB-261120-7K3M9Q', 'az-AZ-09', '-', 'a'.repeat(64)];
    const refused = ['', 'a'.repeat(65), 'a b', 'a_b', 'a/b', 'é', '٣', 'a\n', '\na', 'a\nb', '😀', ' '];

    expect(await inSql(accepted)).toEqual(accepted.map(() => true));
    expect(accepted.map(isReceiptNumber)).toEqual(accepted.map(() => true));
    expect(await inSql(refused)).toEqual(refused.map(() => false));
    expect(refused.map(isReceiptNumber)).toEqual(refused.map(() => false));
  });
});
