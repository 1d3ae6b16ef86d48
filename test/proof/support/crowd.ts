import { Loops } from './loops.js';
import type { Shop } from './shop.js';
import { orderBody } from './store-setup.js';

export interface CrowdOptions {
  /** The services to order from, including those that are down. */
  readonly services: readonly { readonly url: string }[];
  readonly size: number;
  /** The longest pause of a buyer between two orders. */
  readonly pauseMs: number;
  readonly label: string;
}

/** One buyer in this many sends no Idempotency-Key, and so must not retry. */
const KEYLESS = 5;
const MOST_LINES = 3;

/** Buyers that order continuously until an attack is over, and retry each order until they get an answer. */
export class Crowd {
  private readonly violations: string[] = [];
  private readonly members: Loops;
  private ordered = 0;

  constructor(
    private readonly shop: Shop,
    private readonly options: CrowdOptions,
  ) {
    const { size, pauseMs } = options;
    const order = () => this.order(++this.ordered).catch((error: Error) => this.violations.push(error.message));
    this.members = new Loops(size, order, () => shop.context.random(pauseMs));
  }

  /** Runs until the attack is over, then waits for the last answers. */
  async whileIn<T>(attack: Promise<T>): Promise<{ readonly result: T; readonly violations: string[] }> {
    try {
      return { result: await attack, violations: this.violations };
    } finally {
      await this.members.stop();
    }
  }

  private async order(n: number): Promise<void> {
    const { buyers, products, context } = this.shop;
    const { services, label } = this.options;
    const { random } = context;
    const line = () => ({ product_id: products[random(products.length)] ?? 0, quantity: 1 + random(2) });
    const body = orderBody(Array.from({ length: 1 + random(MOST_LINES) }, line), label);
    if (n % KEYLESS === 0) {
      await buyers.send(services[random(services.length)] ?? { url: '' }, { body });
      return;
    }
    const { status } = await buyers.insist(services, body, { key: `${label}-${n}` });
    if (status !== 201) this.violations.push(`${label}-${n} was answered ${status}`);
  }
}
