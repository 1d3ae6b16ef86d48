import { createHash } from 'node:crypto';
import type { RunningApi } from './start-api.js';

interface Listed {
  readonly data: readonly { readonly id: string | number }[];
  readonly pagination: { readonly total: number };
}

const LISTS = ['orders', 'products', 'customers', 'categories', 'brands'];
const FILTERED = [
  ...['orders?status=PENDING', 'orders?source=WEBSITE&fulfillment_status=PENDING', 'orders?search=%40'],
  ...['products?in_stock=true', 'products?featured=true', 'products?search=e', 'customers?status=Active'],
  ...['price-lists', 'prices?list=VIP', 'prices?limit=100'],
];

export async function keyOf({ store, database }: RunningApi, subdomain: string): Promise<string> {
  const key = await store.createKey();
  const move = 'UPDATE api_keys SET store_id = (SELECT id FROM stores WHERE subdomain = $1) WHERE key_hash = $2';
  await database.query(move, [subdomain, createHash('sha256').update(key).digest()]);
  return key;
}

/**
 * Returns the bodies of all GET routes, by path. @param every with 10, the first ten resources of each list and every
 * tenth.
 */
export async function answersOf(api: RunningApi, key: string, every = 1): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const get = async (path: string): Promise<string> => {
    const headers = { authorization: `Bearer ${key}` };
    const { statusCode, body } = await api.inject({ method: 'GET', url: `/v1/${path}`, headers });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    return (answers[path] = body);
  };
  await get('store');
  for (const list of LISTS) {
    const ids: (string | number)[] = [];
    for (let page = 1, total = 1; ids.length < total; page++) {
      const { data, pagination } = JSON.parse(await get(`${list}?limit=100&page=${page}`)) as Listed;
      ids.push(...data.map(({ id }) => id));
      total = pagination.total;
    }
    for (const id of ids.filter((_, index) => index < 10 || index % every === 0)) await get(`${list}/${id}`);
  }
  for (const path of FILTERED) await get(path);
  return answers;
}
