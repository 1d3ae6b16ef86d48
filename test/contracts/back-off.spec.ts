import { backOffMs } from '@app/domain';
import { backOffInterval } from '../../libs/infrastructure/src/postgres/back-off-interval.js';
import { createTestDatabase } from '../support/test-database.js';

const BACK_OFF = { firstMs: 5_000, factor: 2, longestMs: 6 * 3_600_000 };

describe('a back-off', () => {
  it('grows by its factor up to the longest, in the process as in the database', async () => {
    const database = await createTestDatabase();
    const [row] = await database.query<{ waits: number[] }>(
      `SELECT array_agg(extract(epoch FROM ${backOffInterval(BACK_OFF, 'failures')})::float8 * 1000 ORDER BY failures) AS waits
       FROM generate_series(1, 20) AS failures`,
    );
    await database.drop();

    const waits = Array.from({ length: 20 }, (_, n) => backOffMs(BACK_OFF, n + 1));
    expect(waits.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(waits.slice(-2)).toEqual([BACK_OFF.longestMs, BACK_OFF.longestMs]);
    expect(row?.waits).toEqual(waits);
  });
});
