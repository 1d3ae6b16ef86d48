import { encodeCursor } from '../../../apps/api/src/changes/cursor.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { FlatRequest } from './requests.js';

const PAGE = 50;

/** Pages of the feed at its beginning, in its middle and at its end, and a list that has not changed. */
export async function feedRequests(database: Pick<TestDatabase, 'query'>, storeId: number): Promise<FlatRequest[]> {
  const [feed] = await database.query<{ branch: string; orders: number }>(
    `SELECT (SELECT id FROM change_branches ORDER BY number DESC LIMIT 1) AS branch, count(*)::int AS orders
     FROM changes WHERE store_id = $1 AND kind = 'orders'`,
    [storeId],
  );
  const { branch = '', orders = 0 } = feed ?? {};
  const pageAfter = async (count: number) => {
    const [last] = await database.query<{ position: string }>(
      `SELECT position FROM changes WHERE store_id = $1 AND kind = 'orders' ORDER BY position LIMIT 1 OFFSET $2`,
      [storeId, Math.max(0, count - 1)],
    );
    const place = { branch, position: Number(last?.position ?? 0), base: 0 };
    const cursor = encodeCursor({ storeId, mode: 'live' }, { ...place, kinds: ['orders'] });
    return `/v1/changes?limit=${PAGE}&cursor=${cursor}`;
  };
  const middle = await pageAfter(Math.floor(orders / 2));
  const end = await pageAfter(orders - PAGE);
  return [
    { name: 'feed of orders', kind: 'first page', path: `/v1/changes?kinds=orders&limit=${PAGE}` },
    { name: 'feed of orders, middle', kind: 'first page', path: middle },
    { name: 'feed of orders, end', kind: 'first page', path: end },
    { name: 'orders, not modified', kind: 'first page', path: '/v1/orders', isConditional: true },
  ];
}
