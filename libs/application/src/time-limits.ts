/**
 * The time limits of a request, from the outer to the inner. `time-limits.spec.ts` checks that no inner limit exceeds
 * the one around it: the client would be gone before the work ends.
 */

/** The timeout of the API's clients. Orders, and reads of a database that does not answer, end earlier. */
export const CLIENT_TIMEOUT_MS = 3_000;

/** After this, a read answers 503. The rest of the client's time is for the network. */
export const READ_ANSWER_MS = 2_700;

/** The order's transaction must begin and end its statements within this time, or the order gets a 503. */
export const ORDER_DEADLINE_MS = 2_500;

/**
 * The wait for the answer to a statement after the deadline: the server reports the end of a lock wait at the deadline.
 * A server that is silent longer counts as lost.
 */
export const SILENT_SERVER_MS = 200;

/** The least time for the look-up of an order after an unanswered COMMIT, even past the order's deadline. */
export const LOST_COMMIT_LOOK_UP_MS = 200;

/** All attempts at a transaction without its own deadline, as in commands and in the worker. */
export const TRANSACTION_MS = 2_400;

/** The wait of an order for a lock, such as the claim of another request with the same idempotency key. */
export const LOCK_TIMEOUT_MS = 2_000;

/** The fraud analysis of an order. After this, the order is placed and goes to review. */
export const ANALYSIS_MS = 300;

/** The fraud analysis of an order under review, in the worker. No client waits for it. */
export const REASSESSMENT_MS = 2_000;

/** The look-up of an API key, including the wait for the look-up before it. Every request begins with it. */
export const KEY_LOOK_UP_MS = 2_500;

export const KEY_STATEMENT_MS = 2_000;

export const CONNECTION_MS = 2_000;

/** The wait of a search or a transaction for one of the connections that its kind may use. */
export const SLOT_WAIT_MS = 2_000;

/** After this, PostgreSQL ends a read, which answers 503. The transaction of an order sets its own limit. */
export const STATEMENT_TIMEOUT_MS = 3_000;

/** The service drops a connection whose server is silent 0.2 s after it should have ended the statement. */
export const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + SILENT_SERVER_MS;
