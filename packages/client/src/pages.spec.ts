import { RequestFailed, storeClient } from './client.js';
import { rows } from './pages.js';

/** Simulates a list of products; a page with more rows than `most` is too large. */
function listOf(total: number, most = 100) {
  const asked: string[] = [];
  const send = (request: Request) => {
    const query = new URL(request.url).searchParams;
    const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
    asked.push(`${page} of ${limit}`);
    if (limit > most) {
      const headers = { 'X-Error-Code': 'page_too_large' };
      return Promise.resolve(Response.json({ error: 'too large' }, { status: 422, headers }));
    }
    const first = (page - 1) * limit;
    const data = Array.from({ length: Math.max(0, Math.min(limit, total - first)) }, (_, n) => ({
      id: `${first + n}`,
    }));
    return Promise.resolve(Response.json({ data, pagination: { page, limit, total } }));
  };
  return { client: storeClient('http://store.test', 'key', { send }), asked };
}

async function idsOf(list: ReturnType<typeof listOf>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of rows(list.client, '/v1/products', { in_stock: true })) ids.push(id);
  return ids;
}

const ids = (total: number) => Array.from({ length: total }, (_, n) => `${n}`);

describe('rows', () => {
  it.each([
    [0, ['1 of 100']],
    [100, ['1 of 100']],
    [101, ['1 of 100', '2 of 100']],
  ])('yields each of %j rows once', async (total, asked) => {
    const list = listOf(total);

    expect(await idsOf(list)).toEqual(ids(total));
    expect(list.asked).toEqual(asked);
  });

  it('goes on at the same row with smaller pages when one is too large', async () => {
    const list = listOf(60, 25);

    expect(await idsOf(list)).toEqual(ids(60));
    expect(list.asked).toEqual(['1 of 100', '1 of 50', '1 of 25', '2 of 25', '3 of 25']);
  });

  it('throws when a single row is too large', async () => {
    await expect(idsOf(listOf(1, 0))).rejects.toThrow(RequestFailed);
  });
});
