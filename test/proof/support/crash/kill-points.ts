/** A point in the transaction of an order, identified by the next message to the database. */
export interface KillPoint {
  readonly name: string;
  /** Text of the first statement after the point. */
  readonly next: string;
  /** Whether that statement still reaches the server; `null` = either. */
  readonly delivered: boolean | null;
}

/**
 * In transaction order. A statement that the service no longer sends fails the proof, so the list must follow the code.
 */
export const KILL_POINTS: readonly KillPoint[] = [
  { name: 'after BEGIN', next: 'INSERT INTO idempotency_keys', delivered: null },
  { name: 'after the claim of the key', next: 'INSERT INTO orders (', delivered: null },
  { name: 'after the order', next: 'INSERT INTO order_stages', delivered: null },
  { name: 'after its stages', next: 'UPDATE stock SET quantity', delivered: null },
  { name: 'after the stock update', next: 'COMMIT\0', delivered: false },
  { name: 'after COMMIT, before its answer', next: 'COMMIT\0', delivered: true },
];
