import { MaintenanceConnection } from '@app/infrastructure';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('a maintenance connection', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET statement_timeout = '50ms'`);
  });
  afterAll(() => database.drop());

  it('runs a statement for longer than the time limit of the database', async () => {
    const connection = new MaintenanceConnection(database.url);

    await expect(
      connection.run((source) => source.query('/* test.sleep */ SELECT pg_sleep(0.1)')),
    ).resolves.toHaveLength(1);
  });
});
