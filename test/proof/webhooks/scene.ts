import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DnsServer } from '../../support/dns-server.js';
import { HttpsReceiver, type Answer } from '../../support/https-receiver.js';
import { receiverEnvironment } from '../../support/receiver-environment.js';
import { dataOf } from '../support/history.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';
import { openStore, type StockedStore } from '../support/shop.js';
import { Door, type Fate } from './door.js';
import { Endpoint } from './endpoint.js';

export const OK = { status: 200 } satisfies Answer;
const KINDS = ['orders', 'products', 'skus', 'stock'];
const LOOPBACK = [127, 0, 0, 1];
const PRIVATE = [127, 0, 0, 2];

export class Scene {
  readonly endpoints: Endpoint[] = [];
  /** Counts connections to the private address. */
  reached = 0;
  /** Counts answers of DNS with the private address. */
  lies = 0;
  kills = 0;
  private readonly closers: (() => Promise<unknown>)[] = [];
  private workers: Service[] = [];

  private constructor(
    readonly context: ProofContext,
    readonly shop: StockedStore,
    private readonly receiver: HttpsReceiver,
    readonly services: readonly Service[],
    private readonly env: Readonly<Record<string, string>>,
  ) {
    receiver.answer = (request) =>
      this.endpoints.find(({ name }) => request.path === `/${name}`)?.receive(request) ?? { status: 404 };
  }

  static async open(context: ProofContext, products: number): Promise<Scene> {
    const receiver = await HttpsReceiver.start();
    const { rig } = context;
    let asked = 0;
    const dns = await DnsServer.start((_, type) => {
      if (type === 'AAAA') return [];
      // The second of four answers is a lie. Every other lie hides the private address behind an allowed one.
      if (++asked % 4 !== 2) return [LOOPBACK];
      return ++scene.lies % 2 === 0 ? [LOOPBACK, PRIVATE] : [PRIVATE];
    });
    const env = receiverEnvironment(receiver, dns);
    const services = await Promise.all([rig.startService({ env }), rig.startService({ env })]);
    const shop = await openStore(context, products, [1_000_000]);
    const scene: Scene = new Scene(context, shop, receiver, services, env);
    const inside = createServer((socket) => {
      scene.reached++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => inside.listen(receiver.port, '127.0.0.2', resolve));
    scene.closers.push(
      () => receiver.close(),
      () => dns.close(),
      () => new Promise((resolve) => inside.close(resolve)),
      () => Promise.all(services.map((service) => service.kill())),
    );
    return scene;
  }

  origin(name = '127.0.0.1'): string {
    return `https://${name}:${this.receiver.port}`;
  }

  async door(fate: () => Fate): Promise<[Door, string]> {
    const door = await Door.open(this.receiver.port, fate);
    this.closers.push(() => door.close());
    return [door, `https://127.0.0.1:${door.port}`];
  }

  async install(name: string, answer: () => Answer | Promise<Answer> = () => OK, origin = this.origin()) {
    const endpoint = new Endpoint(name, this.shop.store.id, answer);
    this.endpoints.push(endpoint);
    const batch = { single: 1, rebound: 5, full: 50 }[name] ?? 20;
    const body = { url: `${origin}/${name}`, kinds: KINDS, batch, body: name === 'full' ? 'full' : 'thin' };
    const { id, secret } = await this.ask('POST', '', body);
    [endpoint.id, endpoint.secrets] = [id, [secret]];
    return endpoint;
  }

  async ask(method: string, of: string, body?: object): Promise<{ id: string; secret: string }> {
    const { buyers } = this.shop;
    const answer = await buyers.insist(this.services, body, { method, path: `/v1/webhooks${of}` });
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${method} /v1/webhooks${of}: ${answer.status}`);
    return dataOf(answer);
  }

  async startWorkers(count: number): Promise<void> {
    const { rig } = this.context;
    this.workers = await Promise.all(Array.from({ length: count }, () => rig.startWorker({ env: this.env })));
  }

  /**
   * Kills workers one after the other until the end. @param takeOver whether to end the claims of a killed worker at
   * once.
   */
  async killWorkers(end: number, pauseMs: number, takeOver: boolean): Promise<void> {
    const { rig, random } = this.context;
    while (Date.now() < end) {
      await delay(pauseMs / 2 + random(pauseMs));
      const index = random(this.workers.length);
      const victim = this.workers[index] as Service;
      await victim.kill();
      this.kills++;
      if (takeOver) await rig.database.query('UPDATE webhooks SET held_until = now()');
      this.workers[index] = await rig.restart(victim);
    }
  }

  async close(): Promise<void> {
    this.shop.buyers.close();
    await Promise.all(this.workers.map((worker) => worker.kill()));
    await Promise.all(this.closers.map((close) => close()));
  }
}
