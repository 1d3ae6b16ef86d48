/** A job for the driver: one line of JSON. */
export interface Job {
  /** The server's address. */
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second of all connections together; without it, as many as the server answers. */
  readonly rate?: number;
  readonly requests: Reads | Orders;
  readonly seed: number;
}

/** Each connection requests the paths in its own random order. */
export interface Reads {
  readonly kind: 'reads';
  readonly paths: readonly string[];
  /** Sent as `If-None-Match`: each answer must be 304, and otherwise 2xx. */
  readonly tag?: string;
}

/** Orders of different items, each by a new customer. */
export interface Orders {
  readonly kind: 'orders';
  readonly items: readonly Item[];
  /** Lines per order. */
  readonly lines: number;
}

export interface Item {
  readonly product_id: number;
  readonly variant_id?: number;
}

/** The result of a job: one line of JSON. */
export interface Load {
  readonly answered: number;
  /** Expected answers a second. */
  readonly perSecond: number;
  /** Latency of answers in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly failures: Failures;
}

export interface Failures {
  /** The number of unexpected answers, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The number of broken connections. */
  readonly errors: number;
  readonly timeouts: number;
}

export function hasFailures({ statuses, errors, timeouts }: Failures): boolean {
  return Object.keys(statuses).length > 0 || errors > 0 || timeouts > 0;
}
