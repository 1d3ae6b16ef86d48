/** SQL for stores of which this cluster has only a copy, before or after they moved. Nothing of them is late here. */
export const MOVED_STORES = `SELECT id FROM stores WHERE status IN ('MOVING', 'MOVED')`;

/**
 * A metric that the database computes when a scraper or `/health` asks. Unlike the counters, it covers all processes.
 */
export interface DatabaseGauge {
  readonly name: string;
  readonly help: string;
  /** The columns of the statement other than `value`. */
  readonly labelNames?: readonly string[];
  /** Returns the column `value`. It must read a bounded number of rows, because it has 0.5 s. */
  readonly statement: string;
}
