/** A moment in the transaction of an order, told by what the service sends to the database next. */
export interface KillPoint {
  readonly name: string;
  /** Text of the statement that begins when the one before is over. */
  readonly next: string;
  /** Whether that statement still reaches the server; `null` = either. */
  readonly delivered: boolean | null;
}

/** In the order of the transaction. A statement that is no longer sent fails the proof: it has to be looked at again. */
export const KILL_POINTS: readonly KillPoint[] = [
  { name: 'after BEGIN', next: 'INSERT INTO idempotency_keys', delivered: null },
  { name: 'after the claim of the key', next: 'INSERT INTO orders (', delivered: null },
  { name: 'after the order', next: 'INSERT INTO order_stages', delivered: null },
  { name: 'after its jobs', next: 'UPDATE stock SET quantity', delivered: null },
  { name: 'after the stock update', next: 'COMMIT\0', delivered: false },
  { name: 'after COMMIT, before its answer', next: 'COMMIT\0', delivered: true },
];
