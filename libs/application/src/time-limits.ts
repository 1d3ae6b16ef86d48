/**
 * How long a request waits, in milliseconds, from the outside to the inside. `time-limits.spec.ts` holds each to the one
 * around it: an inner wait that outlasts the outer one is work for a client that is gone.
 */

/** The timeout that clients of the API set. Every request has its answer before, whatever becomes of the database. */
export const CLIENT_TIMEOUT_MS = 3_000;

/** A read answers 503 then. The rest of the client's time is for the network. */
export const READ_ANSWER_MS = 2_700;

/** The order's transaction begins, and ends its statements, by then; otherwise the order is refused with 503. */
export const ORDER_DEADLINE_MS = 2_500;

/**
 * How much longer than the order's deadline the service waits for a statement. The server ends a wait for a lock at the
 * deadline and says so; a server that is silent even then is given up.
 */
export const SILENT_SERVER_MS = 200;

/** The least that the look-up of an order gets after a COMMIT without an answer, even past the order's deadline. */
export const LOST_COMMIT_LOOK_UP_MS = 200;

/** All attempts at a transaction without a deadline of its own: those of operators and of the worker. */
export const TRANSACTION_MS = 2_400;

/** How long an order waits for a lock, such as the claim of a twin with the same idempotency key. */
export const LOCK_TIMEOUT_MS = 2_000;

/** The fraud analysis of an order. Past it the order is placed and goes to review. */
export const ANALYSIS_MS = 300;

/** The fraud analysis of an order under review, in the worker. No client waits for it. */
export const REASSESSMENT_MS = 2_000;

/** The look-up of an API key, the wait for the look-up before it included. Every request begins with it. */
export const KEY_LOOK_UP_MS = 2_500;

/** One statement that looks up API keys. */
export const KEY_STATEMENT_MS = 2_000;

/** The wait for a free connection of the pool. */
export const CONNECTION_MS = 2_000;

/** The wait of a search for one of the few connections that searches may use. */
export const SEARCH_QUEUE_MS = 2_000;

/** PostgreSQL ends a read then: the client has its 503 by that time. A transaction of an order sets its own limit. */
export const STATEMENT_TIMEOUT_MS = 3_000;

/** The service gives up a connection whose server says nothing, 0.2 s after the server would have ended the statement. */
export const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + SILENT_SERVER_MS;

/** A read replica: connection, then answer. The primary can still answer in time after that. */
export const REPLICA_MS = 1_000;
