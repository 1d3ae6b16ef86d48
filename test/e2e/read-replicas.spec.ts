import { DatabaseProbe, JsonLogger } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../apps/api/src/create-app.js';
import { anOrderBody } from '../builders/order-body.js';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { startReplicatedDatabase, type ReplicatedDatabase } from '../support/replicated-database.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { testConfig } from '../support/test-config.js';

// A server of its own, with a standby, is slow on a busy machine.
jest.setTimeout(60_000);

/** Time for two probes on a busy machine. */
const NOTICED_MS = 20_000;
/** Delay per direction. The round trip exceeds the time limit of a read on a replica, but not that of a probe. */
const SLOWER_THAN_A_READ_MS = 550;

let database: ReplicatedDatabase;
let wayToPrimary: TcpProxy;
let wayToReplica: TcpProxy;
/** Packets to the replica, without probes. */
let askedOfReplica = 0;
let probesOfReplica = 0;
/** Packets to the primary. */
const askedOfPrimary: string[] = [];
const lines: string[] = [];
// All applications of this file share the logger, because Nest has one logger per process.
const logger = new JsonLogger('warn', { write: (line) => void lines.push(line) });
let store: StoreFixture;
let productId: number;
let app: NestFastifyApplication;

function newStore(): Promise<StoreFixture> {
  const query = async <Row>(text: string, values: unknown[] = []) =>
    (await database.primary.query(text, values)).rows as Row[];
  return StoreFixture.create({ url: database.primaryUrl, query, drop: () => Promise.resolve() });
}

async function createStore(): Promise<void> {
  database = await startReplicatedDatabase();
  store = await newStore();
  productId = await store.product({ name: 'Mug', stock: 5 });
}

async function start(primaryUrl: string, replicaUrl: string): Promise<void> {
  wayToPrimary = await startTcpProxy(primaryUrl, {
    onClientData: (chunk) => {
      askedOfPrimary.push(chunk.toString('latin1'));
      return 'pass';
    },
  });
  probesOfReplica = 0;
  wayToReplica = await startTcpProxy(replicaUrl, {
    onClientData: (chunk) => {
      if (chunk.includes('pg_control_checkpoint')) probesOfReplica++;
      else askedOfReplica++;
      return 'pass';
    },
  });
  const config = testConfig({ DATABASE_URL: wayToPrimary.url, DATABASE_REPLICA_URLS: wayToReplica.url });
  app = await createApp(config, wayToPrimary.url, logger);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
}

async function stop(): Promise<void> {
  await app.close();
  await wayToPrimary.close();
  await wayToReplica.close();
}

beforeAll(createStore);
afterAll(() => database.stop());

const get = (url: string) => app.inject({ url, headers: { authorization: `Bearer ${store.key}` } });
const nameOfProduct = async () => (await get(`/v1/products/${productId}`)).json<{ data: { name: string } }>().data.name;
const rename = (name: string) =>
  database.primary.query('UPDATE products SET name = $1 WHERE id = $2', [name, productId]);
const pauseReplication = () => database.standby.query('SELECT pg_wal_replay_pause()');
const resumeReplication = () => database.standby.query('SELECT pg_wal_replay_resume()');

/** Renames a product on the primary and expects its old name, which only the replica has. */
async function readsComeFromTheReplica(): Promise<void> {
  await eventually(async () => {
    await pauseReplication();
    try {
      const before = await nameOfProduct();
      await rename(`${before}!`);
      expect(await nameOfProduct()).toBe(before);
    } finally {
      await resumeReplication();
    }
  }, NOTICED_MS);
}

describe('the API with a read replica', () => {
  beforeAll(() => start(database.primaryUrl, database.standbyUrl));
  afterAll(stop);

  it('reads from the primary while the replica is behind, shows its lag, and reads from it again after it has caught up', async () => {
    const value = async (name: string) => {
      const line = new RegExp(`^${name} (.+)$`, 'm').exec((await app.inject({ url: '/metrics' })).body);
      return Number(line?.[1]);
    };
    await readsComeFromTheReplica();
    await eventually(async () => expect(await value('database_replicas_in_use')).toBe(1), NOTICED_MS);

    await pauseReplication();
    await rename('Seen at once');
    await eventually(async () => {
      expect(await nameOfProduct()).toBe('Seen at once');
      expect(await value('database_replica_lag_seconds{replica="1"}')).toBeGreaterThan(2);
      expect(await value('database_replicas_in_use')).toBe(0);
      expect((await get('/health')).json()).toMatchObject({
        status: 'degraded',
        details: { replicas: { configured: 1, usable: 0 } },
      });
    }, NOTICED_MS);
    await resumeReplication();

    await readsComeFromTheReplica();
    await eventually(async () => {
      expect(await value('database_replica_lag_seconds{replica="1"}')).toBe(0);
      expect(await value('database_replicas_in_use')).toBe(1);
    }, NOTICED_MS);
  });

  it('returns a new order, and the profile of a new store, that the replica does not have yet', async () => {
    await readsComeFromTheReplica();
    await pauseReplication();

    const placed = await app.inject({
      method: 'POST',
      url: '/v1/orders',
      headers: { authorization: `Bearer ${store.key}` },
      payload: anOrderBody(productId),
    });
    const { order_id: id } = placed.json<{ data: { order_id: string } }>().data;
    const found = await get(`/v1/orders/${id}`);
    const { key } = await newStore();
    const profile = await app.inject({ url: '/v1/store', headers: { authorization: `Bearer ${key}` } });
    await resumeReplication();

    expect([placed.statusCode, found.statusCode, profile.statusCode]).toEqual([201, 200, 200]);
  });

  it('answers every read when the replica lacks the schema', async () => {
    const url = database.standbyUrl.replace(/[^/]*$/, 'postgres');
    const config = testConfig({
      DATABASE_URL: database.primaryUrl,
      DATABASE_REPLICA_URLS: url,
      LOG_LEVEL: 'silent',
    });
    lines.splice(0);
    const other = await createApp(config, database.primaryUrl, logger);
    await other.init();
    const statuses = new Set<number>();
    await eventually(async () => {
      const { statusCode } = await other.inject({
        url: '/v1/products?limit=5',
        headers: { authorization: `Bearer ${store.key}` },
      });
      statuses.add(statusCode);
      expect(lines.join()).toContain('cannot answer (42P01)');
    }, NOTICED_MS);
    await other.close();

    expect([...statuses]).toEqual([200]);
  });

  it('is not ready when it is connected to the replica as its primary', async () => {
    const probe = new DatabaseProbe(database.standbyUrl);

    await expect(probe.ask()).rejects.toThrow('standby');
    probe.close();
  });

  it('lets a search use its full time on a slow replica, and keeps using the replica', async () => {
    await readsComeFromTheReplica();
    lines.splice(0);
    wayToReplica.delay(SLOWER_THAN_A_READ_MS);

    const before = askedOfReplica;
    askedOfPrimary.splice(0);
    const search = await get('/v1/products?search=!');
    const searchesOfPrimary = askedOfPrimary.filter((chunk) => chunk.includes('ILIKE'));
    const read = await get('/v1/products?limit=5');
    wayToReplica.delay(0);

    expect([search.statusCode, read.statusCode]).toEqual([200, 200]);
    expect(askedOfReplica).toBeGreaterThan(before + 1);
    expect(searchesOfPrimary).toEqual([]);
    expect(lines).toEqual([]);
    await readsComeFromTheReplica();
  });

  it('stops using the replica when the position of the primary stays unknown', async () => {
    await readsComeFromTheReplica();
    lines.splice(0);

    wayToPrimary.freeze();
    const noticed = eventually(() => expect(lines.join()).toContain('may be far behind'), NOTICED_MS);
    await noticed.finally(() => wayToPrimary.restore());

    await readsComeFromTheReplica();
  });

  it('answers every read when the replica does not respond', async () => {
    await readsComeFromTheReplica();
    wayToReplica.freeze();

    const reads = await Promise.all(
      Array.from({ length: 40 }, () => Promise.all([get('/v1/products?limit=5'), get('/v1/orders?limit=5')])),
    );
    wayToReplica.restore();

    expect(new Set(reads.flat().map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it('answers every read when the replica restarts', async () => {
    await readsComeFromTheReplica();
    const statuses = new Set<number>();
    const reading = (async () => {
      for (let read = 0; read < 200; read++) statuses.add((await get('/v1/products?limit=5')).statusCode);
    })();

    await database.restartStandby();
    await reading;

    expect([...statuses]).toEqual([200]);
  });
});

describe('the API with a replica that was the primary before a failover and is ahead of the new one', () => {
  beforeAll(async () => {
    const oldPrimary = await database.failOver();
    await start(database.standbyUrl, oldPrimary);
  });
  afterAll(stop);

  it('reads from the primary', async () => {
    await database.standby.query('UPDATE products SET name = $1 WHERE id = $2', ['Of the new primary', productId]);
    const names = new Set<string>();

    // The third probe begins after two probes have been answered.
    await eventually(async () => {
      names.add(await nameOfProduct());
      expect(probesOfReplica).toBeGreaterThanOrEqual(3);
    }, NOTICED_MS);

    expect([...names]).toEqual(['Of the new primary']);
  });
});
