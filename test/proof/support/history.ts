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
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** Why no complete answer arrived. */
  readonly error: string | null;
}

/** All requests of a proof's clients, in the order in which they ended. */
export class History {
  readonly exchanges: Exchange[] = [];

  add(exchange: Exchange): void {
    this.exchanges.push(exchange);
  }

  /** The number of answers with that status; `null` = connections that ended without an answer. */
  count(status: number | null): number {
    return this.exchanges.filter((exchange) => exchange.status === status).length;
  }

  /** Attempts to create an order of that store. */
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

  /** One line per request, for the analysis of a failure. */
  save(file: string): void {
    const lines = this.exchanges.map(({ bytes, ...rest }) => JSON.stringify({ ...rest, answer: bytes.toString() }));
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
}

/** What a successful answer of the API is about. */
export function dataOf<T>({ bytes }: Pick<Exchange, 'bytes'>): T {
  return (JSON.parse(bytes.toString()) as { data: T }).data;
}
