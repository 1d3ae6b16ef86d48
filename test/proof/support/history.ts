import { writeFileSync } from 'node:fs';
import { groupBy } from './group-by.js';

export interface Exchange {
  readonly storeId: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tookMs: number;
  /** The address of the process that received it. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly body: string | null;
  /** `null` when no complete answer arrived. */
  readonly status: number | null;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly error: string | null;
}

export class History {
  readonly exchanges: Exchange[] = [];

  add(exchange: Exchange): void {
    this.exchanges.push(exchange);
  }

  count(status: number | null): number {
    return this.exchanges.filter((exchange) => exchange.status === status).length;
  }

  orders(storeId: number): Exchange[] {
    return this.exchanges.filter(
      (exchange) => exchange.storeId === storeId && exchange.method === 'POST' && exchange.path === '/v1/orders',
    );
  }

  get figures(): string {
    const counts = [...groupBy(this.exchanges, ({ status }) => status ?? 'cut')];
    const told = counts.map(([status, { length }]) => `${length} × ${status}`).sort();
    return `${this.exchanges.length} requests: ${told.join(', ')}`;
  }

  save(file: string): void {
    const lines = this.exchanges.map(({ bytes, ...rest }) => JSON.stringify({ ...rest, answer: bytes.toString() }));
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
}

export function dataOf<T>({ bytes }: Pick<Exchange, 'bytes'>): T {
  return (JSON.parse(bytes.toString()) as { data: T }).data;
}
