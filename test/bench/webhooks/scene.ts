import { StoreFixture } from '../../builders/store-fixture.js';
import type { Rig } from '../../proof/support/rig.js';
import type { Service } from '../../proof/support/service.js';
import { DnsServer } from '../../support/dns-server.js';
import { eventually } from '../../support/eventually.js';
import { HttpsReceiver } from '../../support/https-receiver.js';
import { receiverEnvironment } from '../../support/receiver-environment.js';
import { CpuTime } from '../cpu-time.js';
import { PRODUCTION } from '../report.js';

const TIMEOUT_MS = 120_000;
const BEHIND = `
  SELECT FROM webhooks JOIN changes USING (store_id)
  WHERE state = 'active' AND kind = ANY (kinds) AND changes.position > webhooks.position LIMIT 1`;

export interface Shop {
  readonly store: StoreFixture;
  readonly products: readonly number[];
}

export class Scene {
  private constructor(
    readonly rig: Rig,
    readonly receiver: HttpsReceiver,
    private readonly dns: DnsServer,
    private readonly api: Service,
    readonly worker: Service,
    readonly cpuTime: CpuTime,
  ) {}

  static async open(rig: Rig): Promise<Scene> {
    const receiver = await HttpsReceiver.start();
    const dns = await DnsServer.start((_, type) => (type === 'A' ? [[127, 0, 0, 1]] : []));
    const env = { ...PRODUCTION, ...receiverEnvironment(receiver, dns) };
    const [api, worker] = await Promise.all([rig.startService({ env }), rig.startWorker({ env })]);
    return new Scene(rig, receiver, dns, api, worker, new CpuTime(rig));
  }

  async openShop(products: number): Promise<Shop> {
    const { database } = this.rig;
    const store = await StoreFixture.create(database);
    const rows = await database.query<{ id: number }>(
      `INSERT INTO products (store_id, name, slug, sku, price, status)
       SELECT $1, 'Product ' || n, 'product-' || n, 'P-' || n, 1000, 'ACTIVE' FROM generate_series(1, $2::int) AS n
       RETURNING id`,
      [store.id, products],
    );
    return { store, products: rows.map(({ id }) => id) };
  }

  async install({ store }: Shop, url: string, batch = 1): Promise<void> {
    const response = await fetch(`${this.api.url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, batch, kinds: ['products'] }),
    });
    if (response.status !== 201) throw new Error(`A webhook is refused with ${response.status}`);
  }

  async change({ store }: Shop, products: readonly number[]): Promise<void> {
    await this.rig.database.query(
      `UPDATE products SET name = name || '.' WHERE store_id = $1 AND id = ANY ($2::int[])`,
      [store.id, products],
    );
  }

  async caughtUp(...shops: readonly Shop[]): Promise<void> {
    const { database } = this.rig;
    await database.query('UPDATE webhooks SET due_at = least(due_at, now())');
    await eventually(async () => {
      for (const { store } of shops) await database.query('SELECT number_changes($1)', [store.id]);
      if ((await database.query(BEHIND)).length > 0) throw new Error('A webhook does not catch up');
    }, TIMEOUT_MS);
  }

  async close(): Promise<void> {
    await Promise.all([this.api.kill(), this.worker.kill()]);
    await this.receiver.close();
    await this.dns.close();
  }
}
