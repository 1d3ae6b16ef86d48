/** What the driver is asked to do: as JSON, one line. */
export interface Job {
  /** Of the server. */
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second of all connections together; as many as are answered when it is not given. */
  readonly rate?: number;
  readonly requests: Reads | Orders;
  readonly seed: number;
}

/** Each connection asks for them in its own random order. */
export interface Reads {
  readonly kind: 'reads';
  readonly paths: readonly string[];
}

/** Orders of different items by somebody who never ordered before. */
export interface Orders {
  readonly kind: 'orders';
  readonly items: readonly Item[];
  /** Of each order. */
  readonly lines: number;
}

export interface Item {
  readonly product_id: number;
  readonly variant_id?: number;
}

/** What came of a job: as JSON, one line. */
export interface Load {
  readonly answered: number;
  /** 2xx a second. */
  readonly perSecond: number;
  /** Milliseconds, of answers. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly failures: Failures;
}

export interface Failures {
  /** Answers other than 2xx, by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that broke. */
  readonly errors: number;
  readonly timeouts: number;
}

export function hasFailures({ statuses, errors, timeouts }: Failures): boolean {
  return Object.keys(statuses).length > 0 || errors > 0 || timeouts > 0;
}
