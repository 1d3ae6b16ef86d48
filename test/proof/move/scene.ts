import { HttpsReceiver, type Answer, type ReceivedRequest } from '../../support/https-receiver.js';
import { receiverEnvironment } from '../../support/receiver-environment.js';
import { SmtpSink } from '../../support/smtp-sink.js';
import { Follower } from '../changes/follower.js';
import { dataOf } from '../support/history.js';
import type { ProofContext } from '../support/proof.js';
import { Rig } from '../support/rig.js';
import type { Service } from '../support/service.js';
import { anyItem, mailMerchant, openStore, type StockedStore } from '../support/shop.js';
import { inParallel, orderBody } from '../support/store-setup.js';
import { Endpoint } from '../webhooks/endpoint.js';
import { Router } from './router.js';

/** Uses far more transaction ids than the other cluster: an id of this one is in the future there. */
const TRANSACTIONS = `DO $$ BEGIN FOR n IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`;
const CLIENTS = 8;

/** The processes of both clusters and the command must read the same secrets. */
export const KEYS = { DATA_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64') };

export interface Cluster {
  readonly rig: Rig;
  /** An API process with a worker. */
  readonly service: Service;
  readonly neighbour: StockedStore;
  /** The mail server of this cluster only. */
  readonly sink: SmtpSink;
}

export const openCluster = (...migrate: readonly string[]) => Rig.launch({ wal_level: 'logical' }, ...migrate);

/** Two clusters behind a router: a store that moves between them, with its clients, and in each a store that stays. */
export class Scene {
  readonly follower: Follower;
  private readonly bodies = new Map<string, string>();

  private constructor(
    readonly context: ProofContext,
    readonly router: Router,
    readonly endpoint: Endpoint,
    readonly shop: StockedStore,
    /** The units were sold before the store moves, and are never sold again. */
    readonly shelf: number,
    /** The first cluster has the store. */
    private clusters: readonly [Cluster, Cluster],
  ) {
    const { random } = context;
    this.follower = new Follower({ name: 'the reader', key: shop.store.key, address: router.url, random });
  }

  static async open(context: ProofContext, orders: number, closers: (() => Promise<unknown>)[]): Promise<Scene> {
    const receiver = await HttpsReceiver.start();
    const router = await Router.start();
    closers.push(
      () => receiver.close(),
      () => router.close(),
    );
    // The receivers have no host names.
    const names = { address: '127.0.0.1:1' };
    const env = { PIPELINE: 'inline', ...KEYS, ...receiverEnvironment(receiver, names) };
    const clusters: Cluster[] = [];
    const second = await openCluster('--first-store-id', '1000001');
    closers.push(() => second.close());
    for (const rig of [context.rig, second]) {
      const sink = await SmtpSink.start();
      closers.push(() => sink.close());
      const service = await rig.startService({ env: { ...env, SMTP_URL: sink.url } });
      const neighbour = await openMailedStore({ ...context, rig });
      router.lead(neighbour.store.key, service.url);
      clusters.push({ rig, service, neighbour, sink });
    }
    const [home, other] = clusters as [Cluster, Cluster];
    context.rig.processes.push(other.service);
    await home.rig.database.query(TRANSACTIONS);
    const shop = await openMailedStore({ ...context, rig: home.rig });
    router.lead(shop.store.key, home.service.url);
    const shelf = await shop.store.product({ stock: [1_000_000] });
    const endpoint = new Endpoint('the receiver', shop.store.id, (): Answer => ({ status: 200 }));
    const scene = new Scene(context, router, endpoint, shop, shelf, [home, other]);
    receiver.answer = (request) => scene.receive(request);
    await scene.install(`https://127.0.0.1:${receiver.port}/`);
    await scene.placeOrders(orders);
    return scene;
  }

  get home(): Cluster {
    return this.clusters[0];
  }

  get other(): Cluster {
    return this.clusters[1];
  }

  /** Switches the router, as an operator does when the other cluster serves the store. */
  switch(): void {
    const [from, to] = this.clusters;
    this.clusters = [to, from];
    this.router.lead(this.shop.store.key, to.service.url);
  }

  /** The store that moves, with the database that it is in. */
  get shopAtHome(): StockedStore {
    return { ...this.shop, context: { ...this.context, rig: this.home.rig } };
  }

  private receive(request: ReceivedRequest): Promise<Answer> {
    const id = String(request.headers['webhook-id']);
    const first = this.bodies.get(id) ?? request.body;
    this.bodies.set(id, first);
    if (request.body !== first) this.endpoint.violations.push(`the message ${id} came with two bodies`);
    return this.endpoint.receive(request);
  }

  private async install(url: string): Promise<void> {
    const body = { url, kinds: ['orders', 'stock'], batch: 20, body: 'thin' };
    const answer = await this.shop.buyers.insist([this.router], body, { path: '/v1/webhooks' });
    const { id, secret } = dataOf<{ id: string; secret: string }>(answer);
    [this.endpoint.id, this.endpoint.secrets] = [id, [secret]];
  }

  private async placeOrders(count: number): Promise<void> {
    await inParallel(CLIENTS, Array(count).keys(), (n) => {
      const items = [anyItem(this.shop), { product_id: this.shelf, quantity: 1 }];
      return this.shop.buyers.insist([this.router], orderBody(items, 'before'), { key: `before-${n}` });
    });
  }
}

async function openMailedStore(context: ProofContext): Promise<StockedStore> {
  const shop = await openStore(context, 5, [1_000_000]);
  await mailMerchant(context, shop.store);
  return shop;
}
