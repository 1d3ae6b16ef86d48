import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Orders of ordinary customers, each another one. */
export interface OrderJob {
  /** Products to choose from, with the variant to order, if any. */
  readonly products: readonly (readonly [productId: number, variantId: number | null])[];
  readonly lines: number;
  /** Tells the customers of this job from those of others. */
  readonly series: number;
}

export interface DriveJob {
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  readonly paths: readonly string[];
  readonly orders?: OrderJob;
}

export interface DriveResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers with 2xx, with anything else, and requests without an answer. */
  readonly good: number;
  readonly bad: number;
  readonly errors: number;
}

/** Puts load on servers, from a process of its own. */
export class Driver {
  private readonly child = spawn(
    process.execPath,
    ['--import', 'tsx', path.resolve(import.meta.dirname, 'driver.ts')],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  private readonly results = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();

  async drive(job: DriveJob): Promise<DriveResult> {
    this.child.stdin.write(`${JSON.stringify(job)}\n`);
    const { value, done } = await this.results.next();
    if (done) throw new Error('The driver ended');
    return JSON.parse(value as string) as DriveResult;
  }

  stop(): void {
    this.child.kill();
  }
}

/** Bodies of orders: customers that nobody has seen, products drawn anew for each. */
export function orderBodies({ products, lines, series }: OrderJob): () => string {
  let count = 0;
  return () => {
    const person = series * 1_000_000 + ++count;
    const items = Array.from({ length: lines }, () => {
      const [product_id, variant_id] = products[Math.floor(Math.random() * products.length)] ?? [0, null];
      return { product_id, quantity: 1, ...(variant_id !== null && { variant_id }) };
    });
    return JSON.stringify({
      items,
      customer: {
        name: 'Ada Lovelace',
        email: `buyer${person}@example.com`,
        phone: `+1666${person}`,
        address: `${person} Harbor Street`,
        city: 'Portland',
        zip: String(person),
      },
    });
  };
}
