import type { paths } from './api.js';
import { RequestFailed, type StoreClient } from './client.js';

interface Listed {
  readonly data: readonly unknown[];
  readonly pagination: { readonly page: number; readonly limit: number; readonly total: number };
}

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** The paths of lists that have pages and need no id. */
export type ListPath = {
  [Path in keyof paths]: Answer<Path> extends Listed ? (Path extends `${string}{${string}` ? never : Path) : never;
}[keyof paths];

export type Row<Path extends ListPath> = Answer<Path> extends { readonly data: readonly (infer Each)[] } ? Each : never;

/** The filters of a list. */
export type Filter<Path extends ListPath> = paths[Path] extends { get: { parameters: { query?: infer Query } } }
  ? Omit<NonNullable<Query>, 'page' | 'limit'>
  : never;

/** The numbers of rows per page, decreasing after `page_too_large`. Each size is a multiple of the next one. */
const PAGE_SIZES = [100, 50, 25, 5, 1];

/**
 * Yields the rows of all pages of a list, in its order. Rows that are written meanwhile may move other rows to another page:
 * a moved row comes twice, or is missing. `changes` misses nothing.
 *
 * @throws RequestFailed
 */
export async function* rows<Path extends ListPath>(
  client: StoreClient,
  path: Path,
  filter?: Filter<Path>,
): AsyncGenerator<Row<Path>> {
  let [limit = 1, ...smaller] = PAGE_SIZES;
  for (let page = 1; ; page += 1) {
    // The compiler does not see that each of the paths has these parameters.
    const params = { query: { ...filter, page, limit } } as never;
    const { data, error, response } = await client.GET(path as '/v1/products', { params });
    if (!data) {
      const failure = new RequestFailed(response, error);
      const [next] = smaller;
      if (failure.code !== 'page_too_large' || next === undefined) throw failure;
      // The smaller page begins at the same row.
      page = ((page - 1) * limit) / next;
      limit = next;
      smaller = smaller.slice(1);
      continue;
    }
    yield* data.data as unknown as Row<Path>[];
    if (page * data.pagination.limit >= data.pagination.total) return;
  }
}
