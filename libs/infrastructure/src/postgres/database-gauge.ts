/** Stores of which this cluster has a copy, before or after they moved: nothing of them is late. */
export const MOVED_STORES = `SELECT id FROM stores WHERE status IN ('MOVING', 'MOVED')`;

/** A metric that the database computes when a scraper or `/health` asks. Unlike the counters, it is about all processes. */
export interface DatabaseGauge {
  readonly name: string;
  readonly help: string;
  /** The columns of the statement besides `value`. */
  readonly labelNames?: readonly string[];
  /** Has the column `value`. Reads a bounded number of rows, because it has 0.5 s. */
  readonly statement: string;
}
