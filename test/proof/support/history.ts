import { writeFileSync } from 'node:fs';

/** One request and what came of it. */
export interface Exchange {
  readonly storeId: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tookMs: number;
  /** The address of the process that was asked. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly body: string | null;
  /** `null` when no whole answer came. */
  readonly status: number | null;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  /** Why no whole answer came. */
  readonly error: string | null;
}

/** Everything the clients of a proof saw, in the order in which it ended. */
export class History {
  readonly exchanges: Exchange[] = [];

  add(exchange: Exchange): void {
    this.exchanges.push(exchange);
  }

  /** Answers with that status; `null` = connections that ended without one. */
  count(status: number | null): number {
    return this.exchanges.filter((exchange) => exchange.status === status).length;
  }

  /** Attempts to create an order of that store. */
  orders(storeId: number): Exchange[] {
    return this.exchanges.filter(
      (exchange) => exchange.storeId === storeId && exchange.method === 'POST' && exchange.path === '/v1/orders',
    );
  }

  /** One line a request, for whoever has to find out what went wrong. */
  save(file: string): void {
    const lines = this.exchanges.map(({ bytes, ...rest }) => JSON.stringify({ ...rest, answer: bytes.toString() }));
    writeFileSync(file, `${lines.join('\n')}\n`);
  }
}

/** The expected trouble, in words: what clients were told to try again, and did. */
export function retriesOf(history: History): string {
  return `tried again after: ${history.count(409)} × 409, ${history.count(503)} × 503, ${history.count(null)} cut`;
}
