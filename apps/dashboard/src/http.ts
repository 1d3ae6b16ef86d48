import { keepPreviousData, QueryClient, useQuery, type UseQueryResult } from '@tanstack/preact-query';
import createClient, { type ClientPathsWithMethod, type MethodResponse } from 'openapi-fetch';
import type { components, paths } from '@store-commerce/client';
import { createStore } from './store.js';

export type Schemas = components['schemas'];
export type Order = Schemas['Order'];
export type OrderListItem = Schemas['OrderListItem'];
export type Key = Schemas['ApiKey'];
export type StoreKey = Schemas['StoreKey'];
export type Webhook = Schemas['Webhook'];
export type WebhookListItem = Schemas['WebhookListItem'];
export type Scope = Key['scope'][number];
export type OrderQuery = NonNullable<paths['/v1/orders']['get']['parameters']['query']>;

const MODE = 'dashboard-mode';
/** The mode of this tab. Changing it reloads the page, so that no record of the other mode stays. */
export const mode: 'live' | 'test' = sessionStorage.getItem(MODE) === 'test' ? 'test' : 'live';
export function switchMode(): void {
  sessionStorage.setItem(MODE, mode === 'live' ? 'test' : 'live');
  location.reload();
}

/**
 * Why the person must sign in again: the session has ended, or is too old for the request. Empty when neither is the
 * case.
 */
export const signedOut = createStore<'' | 'ended' | 'stale'>('');

const MAX_TRIES = 4;
export const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Matches the changes that an `Idempotency-Key` makes repeatable. */
const KEYED = /\/v1\/(orders(\/.*)?|stock|prices|webhooks)$/;
/** The key of each change until its answer arrives, so that a repeated click acts once. */
const keys = new Map<string, string>();

/**
 * Repeats a change that has a key when no answer came, or when a repeat helps. A form may give its own key. The cache
 * repeats reads.
 */
async function send(request: Request): Promise<Response> {
  if (request.method !== 'POST' || !KEYED.test(request.url)) return fetch(request);
  const change = `${request.url} ${await request.clone().text()}`;
  const key = request.headers.get('Idempotency-Key') ?? keys.get(change) ?? crypto.randomUUID();
  keys.set(change, key);
  request.headers.set('Idempotency-Key', key);
  for (let tried = 1; ; tried++) {
    const response = await fetch(request.clone()).catch((error: unknown) => {
      if (tried >= MAX_TRIES) throw error;
    });
    const isFinal = response && isAnswer(response);
    if (isFinal) keys.delete(change);
    if (response && (isFinal || tried >= MAX_TRIES)) return response;
    await pause(1_000 * Math.max(Number(response?.headers.get('retry-after') ?? 0), 2 ** (tried - 1)));
  }
}

/** Whether a repeated request would get the same answer. */
const isAnswer = (response: Response): boolean =>
  !isDown(response) && response.headers.get('x-error-code') !== 'idempotency_in_flight';

/** @throws the service's message, with its status, for everything except a success. */
async function check(response: Response): Promise<void> {
  const { ok, status, headers } = response;
  if (ok) return;
  const { error, faults = [] } = (await response.json().catch(() => ({}))) as Partial<Schemas['Error']>;
  if (status === 401) signedOut.set('ended');
  if (headers.get('x-error-code') === 'stale_sign_in') signedOut.set('stale');
  const code = headers.get('x-error-code');
  // A dialog that sends a line shows only this line.
  const text = error?.replace(/\blines\[0\]: (\w+: )?/, '') ?? `The service answered with status ${status}.`;
  throw Object.assign(new Error(text), { status, faults, code });
}

/** The dashboard is one folder below the API, even behind the prefix of a proxy. */
const ROOT = new URL('..', document.baseURI).href.replace(/\/$/, '');

export const api = createClient<paths, 'application/json'>({
  baseUrl: ROOT,
  fetch: send,
  querySerializer: { array: { style: 'form', explode: false } },
});
api.use({
  onRequest: ({ request }) => request.headers.set('X-Dashboard', mode),
  onResponse: ({ response }) => check(response),
});

/** Calls a sign-in route. These routes are not in the API document. */
export async function post<T>(path: string, body: unknown, method = 'POST'): Promise<T> {
  const headers = { 'Content-Type': 'application/json', 'X-Dashboard': mode };
  const response = await fetch(`${ROOT}/dashboard/${path}`, { method, headers, body: JSON.stringify(body) });
  await check(response);
  return ((await response.json()) as { data: T }).data;
}

export function textOf(error: unknown): string {
  // This is what `fetch` throws when there is no answer.
  if (error instanceof TypeError) return navigator.onLine ? 'The service did not answer.' : 'You are offline.';
  return (error as Error).message;
}

/** Returns the faults of a form by the name of their field. */
export function faultsOf(error: unknown): Readonly<Record<string, string>> {
  const { faults = [] } = (error ?? {}) as Pick<Schemas['Error'], 'faults'>;
  return Object.fromEntries(faults.map(({ path, message }) => [path.replace(/^.*\./, ''), message]));
}

/** Returns 0 when there was no answer. */
export const statusOf = (error: unknown): number => (error as { status?: number } | null)?.status ?? 0;

export const codeOf = (error: unknown) => (error as { code?: string | null } | null)?.code;

export const POLL_MS = 10_000;
/** Whether the same request may succeed later. @param error the error of a request, or its answer. */
export const isDown = (error: unknown): boolean => [0, 429].includes(statusOf(error)) || statusOf(error) >= 500;

const retry = (tries: number, error: Error) => tries < 3 && isDown(error);
export const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000, retry } } });

/**
 * Keeps the previous answer while another is loading. @param everyMs the interval of reading again, while the page is
 * visible.
 */
export const useRead = <T>(name: readonly unknown[], read: () => Promise<T>, everyMs = 0): UseQueryResult<T> =>
  useQuery<T>({
    queryKey: name,
    queryFn: read,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { error } }) => (error && isDown(error) ? POLL_MS : everyMs),
  });

type Path = ClientPathsWithMethod<typeof api, 'get'>;
type Params<P extends Path> = paths[P]['get']['parameters'];
type Answer<P extends Path> = MethodResponse<typeof api, 'get', P>;

/** Throws every answer except a success. */
export async function get<P extends Path>(path: P, params: Params<P>): Promise<Answer<P>> {
  const { data } = await api.GET(path as '/v1/key', { params: params as never });
  return data as unknown as Answer<P>;
}

type TablePath = { [P in Path]: Params<P> extends { query?: { format?: unknown } } ? P : never }[Path];

/** The rows of a list with its filters, on all pages. */
export type Table = { [P in TablePath]: { readonly path: P; readonly query: Params<P>['query'] } }[TablePath];

/** Saves a table as a CSV file. A link would not send the header that names the mode. */
export async function download({ path, query }: Table): Promise<void> {
  const { page: _page, limit: _limit, cursor: _cursor, ...filters } = (query ?? {}) as Record<string, unknown>;
  const params = { query: { ...filters, format: 'csv' } };
  const { data, response } = await api.GET(path as '/v1/brands', { params: params as never, parseAs: 'blob' });
  const [, name = 'table.csv'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  const href = URL.createObjectURL(data as unknown as Blob);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/** Uses the path and its parameters as the name in the cache. */
export const useGet = <P extends Path>(path: P, params: Params<P>, everyMs?: number) =>
  useRead([path, params], () => get(path, params), everyMs);

/** The page size of a list that is read completely. */
const PAGE_ROWS = 100;
/** The page size when rows are large, such as notes with much metadata. */
const FEW_ROWS = 8;
/**
 * The maximum number of pages of a list that is read completely. Beyond it, the page shows how many rows are missing.
 */
export const MAX_PAGES = 50;
type Rows<T> = { data: T[]; pagination: { total: number } };
type ReadPage<T> = (page: { limit: number; page: number }) => Promise<Rows<T>>;

type Choose = (last: number) => readonly [from: number, to: number];

async function pagesOf<T>(read: ReadPage<T>, choose: Choose) {
  return readPages(read, choose, PAGE_ROWS).catch((error: unknown) => {
    if (codeOf(error) === 'page_too_large') return readPages(read, choose, FEW_ROWS);
    throw error;
  });
}

async function readPages<T>(read: ReadPage<T>, choose: Choose, limit: number) {
  const first = await read({ limit, page: 1 });
  const [from, to] = choose(Math.ceil(first.pagination.total / limit));
  const data = from === 1 ? [...first.data] : [];
  for (let page = Math.max(2, from); page <= to; page++) data.push(...(await read({ limit, page })).data);
  return { ...first, data, left: Math.max(0, first.pagination.total - data.length) };
}

/** Reads the rows of all pages. `left` is the number of rows beyond `MAX_PAGES`. */
export const allOf = <T>(read: ReadPage<T>) => pagesOf(read, (last) => [1, Math.min(last, MAX_PAGES)]);

/** Reads the rows of the last pages. `left` is the number of earlier rows. */
export const lastOf = <T>(read: ReadPage<T>, pages: number) =>
  pagesOf(read, (last) => [Math.max(1, last - pages + 1), last]);

/** Returns the key of the session once it is loaded. */
export const keyNow = (): Key | undefined => queries.getQueryData<{ data: Key }>(['/v1/key', {}])?.data;

/** Reads everything again that shows orders, stock or counts, after a change. */
export const refresh = (): Promise<void> =>
  queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== '/v1/key' });
