import { CHANGE_KINDS, ChangeFeed, CursorExpired, type ChangeKind, type FeedPlace } from '@app/application';
import { purgeTombstones } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { InMemoryChangeFeed } from '../support/in-memory/in-memory-change-feed.js';
import { startApi } from '../support/start-api.js';

/** The feed of two stores. Ids are numbers as text. */
interface Subject {
  readonly feed: ChangeFeed;
  readonly storeId: number;
  readonly otherStoreId: number;
  change(storeId: number, kind: 'brands' | 'categories', id: string): Promise<void>;
  remove(storeId: number, kind: 'brands' | 'categories', id: string): Promise<void>;
  /** 91 days pass. */
  purge(): Promise<void>;
  /** Loses all changes after a position, as a restore does. */
  forkAfter(position: number): Promise<void>;
  close(): Promise<void>;
}

function inMemory(): Promise<Subject> {
  const feed = new InMemoryChangeFeed();
  const now = (work: () => void) => Promise.resolve(work());
  return Promise.resolve({
    feed,
    storeId: 1,
    otherStoreId: 2,
    change: (storeId, kind, id) => now(() => feed.change(storeId, kind, id)),
    remove: (storeId, kind, id) => now(() => feed.change(storeId, kind, id, true)),
    purge: () => now(() => feed.purge(1)),
    forkAfter: (position) => now(() => feed.forkAfter(1, position)),
    close: () => Promise.resolve(),
  });
}

async function onPostgres(): Promise<Subject> {
  const api = await startApi();
  const other = await StoreFixture.create(api.database);
  const sql = (text: string, values: unknown[]) => api.database.query(text, values);
  return {
    feed: api.app.get(ChangeFeed, { strict: false }),
    storeId: api.store.id,
    otherStoreId: other.id,
    change: async (storeId, kind, id) => {
      await sql(
        `INSERT INTO ${kind} (store_id, id, slug, name) VALUES ($1, $2, $3, '') ON CONFLICT (store_id, id)
         DO UPDATE SET name = ${kind}.name || '+'`,
        [storeId, id, `slug-${id}`],
      );
    },
    remove: async (storeId, kind, id) => {
      await sql(`DELETE FROM ${kind} WHERE store_id = $1 AND id = $2`, [storeId, id]);
    },
    purge: async () => {
      await sql(`UPDATE changes SET changed_at = changed_at - interval '91 days'`, []);
      await purgeTombstones({ query: async (text: string) => ({ rows: await sql(text, []) }) } as never);
    },
    forkAfter: async (position) => {
      await sql(`DELETE FROM changes WHERE store_id = $1 AND position > $2`, [api.store.id, position]);
      await sql('SELECT begin_branch()', []);
    },
    close: () => api.stop(),
  };
}

describe.each([
  ['in memory', inMemory],
  ['on PostgreSQL', onPostgres],
])('ChangeFeed %s', (_name, open) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await open();
  });
  afterEach(() => subject.close());

  const read = async (after: FeedPlace | null = null, limit = 100, kinds: readonly ChangeKind[] = CHANGE_KINDS) => {
    const { changes, ...page } = await subject.feed.read(subject.storeId, { kinds, after, limit });
    return { ...page, seen: changes.map(({ kind, id }) => `${kind} ${id}`) };
  };
  const change = (id: string, kind: 'brands' | 'categories' = 'brands') => subject.change(subject.storeId, kind, id);
  const remove = (id: string) => subject.remove(subject.storeId, 'brands', id);

  it('has each resource once, at its newest change, and none of another store', async () => {
    for (const id of ['1', '2', '3']) await change(id);
    await read();
    await change('1');
    await subject.change(subject.otherStoreId, 'brands', '9');

    expect(await read()).toMatchObject({ seen: ['brands 2', 'brands 3', 'brands 1'], hasMore: false, rewound: false });
  });

  it('continues after a place, page by page', async () => {
    for (const id of ['1', '2', '3']) await change(id);
    const first = await read(null, 2);
    const second = await read(first.next, 2);
    await change('1');

    expect([first.seen, first.hasMore]).toEqual([['brands 1', 'brands 2'], true]);
    expect([second.seen, second.hasMore]).toEqual([['brands 3'], false]);
    expect(await read(second.next)).toMatchObject({ seen: ['brands 1'] });
  });

  it('has only the wanted kinds, and passes the others', async () => {
    await change('1');
    await change('2', 'categories');
    const { seen, next } = await read(null, 100, ['brands']);
    await change('3', 'categories');

    expect(seen).toEqual(['brands 1']);
    expect(next.position).toBe(2);
    expect((await read(next, 100, ['brands'])).seen).toEqual([]);
  });

  it('has the same head until one of its kinds changes', async () => {
    const head = () => subject.feed.head(subject.storeId, 'brands');
    await change('1');
    const first = await head();
    await change('2', 'categories');
    await subject.change(subject.otherStoreId, 'brands', '9');
    expect(await head()).toEqual(first);
    await change('1');

    expect(first).not.toBeNull();
    expect((await head())?.position).not.toBe(first?.position);
  });

  it('has another head after a resource that came and went between two reads', async () => {
    await change('1');
    const before = await subject.feed.head(subject.storeId, 'brands');
    await change('2');
    await remove('2');

    expect((await subject.feed.head(subject.storeId, 'brands'))?.position).not.toBe(before?.position);
  });

  it('names the newest position of each kind', async () => {
    await change('1');
    await read();
    await change('2', 'categories');

    const newest = await subject.feed.newest([subject.storeId, subject.otherStoreId]);

    expect(newest.get(subject.storeId)).toEqual({
      orders: 0,
      products: 0,
      skus: 0,
      customers: 0,
      categories: 2,
      brands: 1,
    });
    expect(newest.get(subject.otherStoreId)).toMatchObject({ brands: 0 });
  });

  it('refuses a place whose reader may have missed a deletion that is purged', async () => {
    await change('1');
    const { next: before } = await read();
    await remove('1');
    const { next: after } = await read(before);
    await change('2');
    await read();
    await subject.purge();

    await expect(read(before)).rejects.toThrow(CursorExpired);
    expect((await read(after)).seen).toEqual(['brands 2']);
    expect((await read()).seen).toEqual(['brands 2']);
  });

  it('begins again for a reader that has seen what a fork lost', async () => {
    await change('1');
    const kept = await read();
    await change('2');
    const lost = await read(kept.next);
    await subject.forkAfter(kept.next.position);

    expect(await read(kept.next)).toMatchObject({ seen: [], rewound: false });
    const again = await read(lost.next);
    expect(again).toMatchObject({ seen: ['brands 1'], rewound: true });
    expect(await read(again.next)).toMatchObject({ seen: [], rewound: false });
  });
});
