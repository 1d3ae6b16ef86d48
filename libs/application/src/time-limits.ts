/**
 * The time limits of a request, from the outermost to the innermost. `time-limits.spec.ts` checks that no inner limit
 * exceeds the one around it: otherwise the client would be gone before the work ends.
 */

/** The timeout of the API's clients. Orders, and reads of a database that does not answer, end earlier. */
export const CLIENT_TIMEOUT_MS = 3_000;

/** A read that takes longer answers 503. The rest of the client's time is for the network. */
export const READ_ANSWER_MS = 2_700;

/** The order's transaction must begin and end its statements within this time, or the order gets a 503. */
export const ORDER_DEADLINE_MS = 2_500;

/**
 * How long to wait for the answer to a statement after its deadline: the server reports the end of a lock wait at the
 * deadline. A server that is silent longer counts as lost.
 */
export const SILENT_SERVER_MS = 200;

/** The minimum time for looking up an order after an unanswered COMMIT, even past the order's deadline. */
export const LOST_COMMIT_LOOK_UP_MS = 200;

/** The limit for all attempts at a transaction without a deadline, such as in commands and in the worker. */
export const TRANSACTION_MS = 2_400;

/** How long an order waits for a lock, such as the claim of another request with the same idempotency key. */
export const LOCK_TIMEOUT_MS = 2_000;

/** The limit of the fraud analysis of a new order. After it, the order is placed and goes to review. */
export const ANALYSIS_MS = 300;

/** The limit of the fraud analysis of an order under review, in the worker. No client waits for it. */
export const REASSESSMENT_MS = 2_000;

/** The limit of an API key look-up, including the wait for the look-up before it. Every request begins with one. */
export const KEY_LOOK_UP_MS = 2_500;

export const KEY_STATEMENT_MS = 2_000;

export const CONNECTION_MS = 2_000;

/** How long a search or a transaction waits for one of the connections of its kind. */
export const SLOT_WAIT_MS = 2_000;

/** PostgreSQL ends a read after this time, and the read answers 503. The transaction of an order sets its own limit. */
export const STATEMENT_TIMEOUT_MS = 3_000;

/** The service drops a connection when the server is still silent 0.2 s after the statement should have ended. */
export const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + SILENT_SERVER_MS;

/** A table that is not written after this time ends without its last rows, and its client sees a broken transfer. */
export const TABLE_MS = 10 * 60_000;
