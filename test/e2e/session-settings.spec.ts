import { HealthConnection, MaintenanceConnection, withOwnClient } from '@app/infrastructure';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { housekeepingPool } from '../../libs/infrastructure/src/postgres/housekeeping-pool.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const ODD_SETTINGS = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'iso_8601',
  TimeZone: 'Asia/Kathmandu',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  default_transaction_isolation: 'serializable',
  standard_conforming_strings: 'off',
  jit: 'on',
};

/** A copy of the template in which every session begins with these settings. */
async function oddDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  for (const [setting, value] of Object.entries(ODD_SETTINGS)) {
    await database.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
  }
  // Its own sessions keep the settings of the template.
  return database;
}

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({}, undefined, await oddDatabase());
});
afterAll(() => api.stop());

describe('a session on a database with other formats', () => {
  const SHOW = `/* test.settings */ SELECT concat_ws('; ', current_setting('DateStyle'), current_setting('IntervalStyle'),
    current_setting('TimeZone'), current_setting('extra_float_digits'), current_setting('bytea_output'),
    current_setting('default_transaction_isolation'), 'jit ' || current_setting('jit')) AS settings`;
  const onPool = async (pool: pg.Pool) => {
    const { rows } = await pool.query<{ settings: string }>(SHOW);
    await pool.end();
    return rows;
  };

  const onHealth = async (connection: HealthConnection) => {
    const rows = await connection.readGauge(SHOW);
    connection.onApplicationShutdown();
    return rows;
  };

  it.each<[string, (url: string) => Promise<unknown>]>([
    ['for requests', () => api.app.get(DataSource).query(SHOW)],
    ['for the housekeeping', (url) => onPool(housekeepingPool(url, () => undefined))],
    ['for maintenance', (url) => new MaintenanceConnection(url).run((source) => source.query(SHOW))],
    ['for probes', (url) => onHealth(new HealthConnection(url))],
    ['for exports', (url) => withOwnClient(url, 'test', async (client) => (await client.query<object>(SHOW)).rows)],
  ])('has the formats of the service: %s', async (_name, settingsOn) => {
    expect(await settingsOn(api.database.url)).toEqual([
      { settings: 'ISO, YMD; postgres; UTC; 1; hex; read committed; jit off' },
    ]);
  });
});
