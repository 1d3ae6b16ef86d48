import type { components } from './api.js';
import { RequestFailed, type StoreClient } from './client.js';
import type { FullOrder, Sku } from './records.js';

type Change = components['schemas']['Change'];

/** A page of the feed of changes. */
export interface ChangesPage<Kind extends Change['kind']> {
  /** The newest state of each changed resource. A resource can come again. */
  readonly data: readonly Extract<Change, { kind: Kind }>[];
  /** Where to continue. Store it with the data of the page, or after them. */
  readonly cursor: string;
  readonly has_more: boolean;
  /**
   * The feed begins again with this page, because deletions, or changes that you have read, are lost. Only the first page
   * says so: what has not come again after the last one is lost.
   */
  readonly rewound: boolean;
}

/**
 * Yields what changed after `cursor`, or everything without one, in pages of up to 100 full records. Nothing is ever
 * inserted before a cursor. Prices of products and SKUs are in major
 * units, amounts of orders and customers in minor units.
 *
 * @param options.wait seconds to wait for the first change, 0 to 25.
 * @throws RequestFailed
 */
export async function* changes<Kind extends Change['kind']>(
  client: StoreClient,
  kinds: Kind | readonly Kind[],
  { cursor, wait = 0 }: { readonly cursor?: string; readonly wait?: number } = {},
): AsyncGenerator<ChangesPage<Kind>> {
  let from = cursor;
  let isExpired = false;
  for (;;) {
    const query = { kinds: [kinds].flat().join(), limit: 100, wait: from === cursor ? wait : 0, cursor: from };
    const { data, error, response } = await client.GET('/v1/changes', { params: { query } });
    if (!data) {
      const failure = new RequestFailed(response, error);
      if (failure.code !== 'cursor_expired') throw failure;
      isExpired = true;
      from = undefined;
      continue;
    }
    yield { ...data, data: data.data as Extract<Change, { kind: Kind }>[], rewound: data.rewound || isExpired };
    if (!data.has_more) return;
    isExpired = false;
    from = data.cursor;
  }
}

/** The orders of a store as they were at a cursor. Store all three together. */
export interface OrderCopy {
  readonly orders: Map<string, FullOrder>;
  /** Ids of orders that have not come again since the feed began again. When a call returns, the service has lost these. */
  readonly missing: Set<string>;
  /** Absent before the first call. */
  cursor?: string;
}

/**
 * Brings a copy up to date: the first call reads all orders, later ones those that are new or have changed. Money is in
 * minor units.
 *
 * @param wait seconds to wait for the first change, 0 to 25.
 * @throws RequestFailed The next call continues with the page that failed.
 */
export async function followOrders(client: StoreClient, copy: OrderCopy, wait = 0): Promise<void> {
  for await (const page of changes(client, 'orders', { cursor: copy.cursor, wait })) {
    if (page.rewound) for (const id of copy.orders.keys()) copy.missing.add(id);
    for (const { id, data } of page.data) {
      if (data) {
        copy.orders.set(id, data);
        copy.missing.delete(id);
      } else if (copy.orders.has(id)) copy.missing.add(id);
    }
    copy.cursor = page.cursor;
  }
}

/** The SKUs of a store as they were at a cursor. Store both together. */
export interface SkuCopy {
  /** Keyed by their ids in the feed: `70` for a product without variants, `70-12` for its variant 12. */
  readonly skus: Map<string, Sku>;
  /** Absent before the first call. */
  cursor?: string;
}

/**
 * Brings a copy up to date: the first call reads all SKUs, later ones those that changed. Prices are in major units.
 *
 * @param wait seconds to wait for the first change, 0 to 25.
 * @throws RequestFailed The next call continues with the page that failed.
 */
export async function followSkus(client: StoreClient, copy: SkuCopy, wait = 0): Promise<void> {
  for await (const page of changes(client, 'skus', { cursor: copy.cursor, wait })) {
    if (page.rewound) copy.skus.clear();
    for (const { id, data } of page.data) {
      if (data) copy.skus.set(id, data);
      else copy.skus.delete(id);
    }
    copy.cursor = page.cursor;
  }
}
