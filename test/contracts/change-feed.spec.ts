import { CHANGE_KINDS, ChangeFeed, CursorExpired, type ChangeKind, type FeedPlace } from '@app/application';
import { purgeTombstones } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

/** In each test, the feed of two new stores. Ids are numbers as text. */
describe('ChangeFeed', () => {
  let application: RunningApplication;
  let feed: ChangeFeed;
  let storeId: number;
  let otherStoreId: number;
  beforeAll(async () => {
    application = await startApplication();
    feed = application.app.get(ChangeFeed, { strict: false });
  });
  beforeEach(async () => {
    storeId = (await StoreFixture.create(application.database)).id;
    otherStoreId = (await StoreFixture.create(application.database)).id;
  });
  afterAll(() => application.stop());

  const read = async (after: FeedPlace | null = null, limit = 100, kinds: readonly ChangeKind[] = CHANGE_KINDS) => {
    const { changes, ...page } = await feed.read(storeId, { kinds, after, limit });
    return { ...page, seen: changes.map(({ kind, id }) => `${kind} ${id}`) };
  };
  const change = (id: string, kind: 'brands' | 'categories' = 'brands', ofStore = storeId) =>
    application.database.query(
      `INSERT INTO ${kind} (store_id, id, slug, name) VALUES ($1, $2, $3, '') ON CONFLICT (store_id, id)
       DO UPDATE SET name = ${kind}.name || '+'`,
      [ofStore, id, `slug-${id}`],
    );
  const remove = (id: string) =>
    application.database.query('DELETE FROM brands WHERE store_id = $1 AND id = $2', [storeId, id]);
  /** 91 days pass. */
  const purge = async () => {
    await application.database.query(`UPDATE changes SET changed_at = changed_at - interval '91 days'`);
    await purgeTombstones({
      query: async (text: string) => ({ rows: await application.database.query(text) }),
    } as never);
  };
  /** Loses all changes after a position, as a restore does. */
  /** Loses all changes after a position, as a copy of the files does, which looks like the original. */
  const loseAfter = async (position: number) => {
    await application.database.query('DELETE FROM changes WHERE store_id = $1 AND position > $2', [storeId, position]);
  };

  it('continues after a place, page by page', async () => {
    for (const id of ['1', '2', '3']) await change(id);
    const first = await read(null, 2);
    const second = await read(first.next, 2);
    await change('1');

    expect([first.seen, first.hasMore]).toEqual([['brands 1', 'brands 2'], true]);
    expect([second.seen, second.hasMore]).toEqual([['brands 3'], false]);
    expect(await read(second.next)).toMatchObject({ seen: ['brands 1'] });
  });

  it('names the newest position of each kind', async () => {
    await change('1');
    await read();
    await change('2', 'categories');

    const newest = await feed.newest([storeId, otherStoreId]);

    expect(newest.get(storeId)).toEqual({
      orders: 0,
      products: 0,
      skus: 0,
      customers: 0,
      categories: 2,
      brands: 1,
      stock: 0,
    });
    expect(newest.get(otherStoreId)).toMatchObject({ brands: 0 });
  });

  it('refuses a place whose reader may have missed a deletion that is purged', async () => {
    await change('1');
    const { next: before } = await read();
    await remove('1');
    const { next: after } = await read(before);
    await change('2');
    await read();
    await purge();

    await expect(read(before)).rejects.toThrow(CursorExpired);
    expect((await read(after)).seen).toEqual(['brands 2']);
    expect((await read()).seen).toEqual(['brands 2']);
  });

  it('begins again for a reader that is past the newest change, because a copy of the files has lost it', async () => {
    await change('1');
    const kept = await read();
    await change('2');
    const lost = await read(kept.next);
    await loseAfter(kept.next.position);

    expect(await read(kept.next)).toMatchObject({ seen: [], rewound: false });
    const again = await read(lost.next);
    expect(again).toMatchObject({ seen: ['brands 1'], rewound: true });
    expect(await read(again.next)).toMatchObject({ seen: [], rewound: false });
  });
});
