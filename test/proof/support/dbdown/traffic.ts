import type { RequestOptions } from '../buyers.js';
import { Loops } from '../loops.js';
import type { Service } from '../service.js';
import type { StockedStore } from '../shop.js';
import { orderBody } from '../store-setup.js';

/** Clients per kind and service: more than there are connections in its pool. */
const BUYERS = 6;
const READERS = 3;
const REST_MS = 60;
const PROBE_MS = 100;
/** One order in this many has no key. */
const KEYLESS = 4;

/** Continuous orders, reads and health probes. Clients never retry: each answer is judged by itself. */
export class Traffic {
  private readonly loops: readonly Loops[];
  private serial = 0;

  /** @param label unique: it begins the keys. */
  constructor(
    private readonly shop: StockedStore,
    services: readonly Service[],
    private readonly label: string,
  ) {
    const { random } = shop.context;
    const probe = (path: string) => (service: Service) => this.send(service, { method: 'GET', path });
    const crowd = (size: number, one: (service: Service) => Promise<unknown>, restMs: () => number) =>
      services.map((service) => new Loops(size, () => one(service), restMs));
    this.loops = [
      ...crowd(
        BUYERS,
        (service) => this.order(service),
        () => random(REST_MS),
      ),
      ...crowd(
        READERS,
        (service) => this.read(service),
        () => random(REST_MS),
      ),
      ...['/health/live', '/health/ready'].flatMap((path) => crowd(1, probe(path), () => PROBE_MS)),
    ];
  }

  /** Waits for the last answers. */
  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  private order(service: Service): Promise<unknown> {
    const { products, context } = this.shop;
    const n = ++this.serial;
    const items = [{ product_id: products[context.random(products.length)] ?? 0, quantity: 1 }];
    const key = n % KEYLESS === 0 ? null : `${this.label}-${n}`;
    return this.send(service, { body: orderBody(items, this.label), key });
  }

  private read(service: Service): Promise<unknown> {
    const paths = ['/v1/products?limit=5', '/v1/orders?limit=5', '/v1/store'];
    return this.send(service, { method: 'GET', path: paths[this.shop.context.random(paths.length)] });
  }

  private send(service: Service, options: RequestOptions): Promise<unknown> {
    return this.shop.buyers.send(service, options);
  }
}
