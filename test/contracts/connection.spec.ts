import { StoreMoved } from '@app/application';
import { DirectDatabase } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

let database: TestDatabase;
let direct: DirectDatabase;
let store: StoreFixture;
beforeAll(async () => {
  database = await createTestDatabase();
  direct = new DirectDatabase(database.url);
  store = await StoreFixture.create(database);
});
afterAll(() => database.drop());

const RENAME = `/* test.rename */ UPDATE stores SET name = $2 WHERE id = $1 AND is_writable(id) RETURNING name`;
const nameOf = async () => (await database.query('SELECT name FROM stores WHERE id = $1', [store.id]))[0];

describe('a connection without the limits of requests', () => {
  it('runs a statement for longer than the time limit of the database', async () => {
    const limited = await createTestDatabase();
    await limited.query(`ALTER DATABASE ${new URL(limited.url).pathname.slice(1)} SET statement_timeout = '50ms'`);

    const rows = await new DirectDatabase(limited.url).run((connection) =>
      connection.query('/* test.sleep */ SELECT pg_sleep(0.1)'),
    );
    await limited.drop();

    expect(rows).toHaveLength(1);
  });

  it('commits a transaction whose work succeeded, after it has rolled back one that failed and a dry run', async () => {
    const read = await direct.run(async (connection) => {
      const failed = connection.transaction(store.id, async (sql) => {
        await sql.query(RENAME, [store.id, 'Failed']);
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      const tried = await connection.dryRun((sql) => sql.query(RENAME, [store.id, 'Tried']));
      expect([tried, await nameOf()]).toEqual([[{ name: 'Tried' }], expect.not.objectContaining({ name: 'Tried' })]);
      return connection.transaction(store.id, (sql) => sql.query(RENAME, [store.id, 'Renamed']));
    });

    expect([read, await nameOf()]).toEqual([[{ name: 'Renamed' }], { name: 'Renamed' }]);
  });

  it('sees one state of the database in a snapshot, and cannot write there', async () => {
    const name = '/* test.name */ SELECT name FROM stores WHERE id = $1';
    await direct.run(async (connection) => {
      const seen = await connection.snapshot(async (sql) => {
        const before = await sql.query(name, [store.id]);
        await database.query(RENAME, [store.id, 'Later']);
        return [before, await sql.query(name, [store.id])];
      });
      expect(seen[1]).toEqual(seen[0]);
      expect(await connection.query(name, [store.id])).toEqual([{ name: 'Later' }]);
      const write = connection.snapshot((sql) => sql.query(RENAME, [store.id, 'Never']));
      await expect(write).rejects.toThrow('read-only transaction');
    });
  });

  it('writes no row of a store that moves', async () => {
    const moving = await StoreFixture.create(database);
    await database.query(`UPDATE stores SET status = 'MOVING' WHERE id = $1`, [moving.id]);

    const write = direct.run((connection) =>
      connection.transaction(moving.id, (sql) => sql.query(RENAME, [moving.id, 'Never'])),
    );

    await expect(write).rejects.toBeInstanceOf(StoreMoved);
  });
});
