/**
 * The concurrency limits of a process, in the sequence in which a request meets them. Above a limit, a request waits or
 * gets 503 `overloaded`. `capacity.spec.ts` checks how the limits nest.
 */

/**
 * Client connections. There are many more than concurrent requests, so that a refused client still reads its 503 and
 * balancers keep their connections. Above this limit, the server closes connections without an answer.
 */
export const MAX_CONNECTIONS = 4_096;

/**
 * Concurrent requests by kind, so that many readers cannot block orders. Imports are few because their bodies take much
 * memory.
 */
export const MAX_REQUESTS = { orders: 160, reads: 320, waits: 256, imports: 16 } as const;

/**
 * Concurrent requests of one store by kind, so that one busy store cannot block the others. Waits for changes last
 * long, so a store gets few of them.
 */
export const MAX_REQUESTS_OF_STORE = { orders: 128, reads: 256, waits: 64, imports: 12 } as const;

/**
 * The length of an answer in characters, or the bytes read for it, above which it blocks the process for milliseconds.
 */
export const LARGE_ANSWER = 256 * 1024;

/**
 * Routes whose answer may be large on every request. Lists with large fields are detected separately. The feed is not
 * listed: after a restart, many of its readers reconnect at the same time and wait for changes.
 */
export const LARGE_ROUTES: readonly string[] = [
  'GET /v1/customers/:id/personal-data',
  'GET /v1/journal',
  'GET /v1/orders/:id/history',
];

/**
 * Characters of a store's answers that its clients have not read yet. A slow reader keeps its answer in memory for a
 * long time.
 */
export const MAX_UNREAD_OF_STORE = 32 * 1024 * 1024;

/**
 * Tables that are written at the same time, and those of one store. Each reads one page at a time, so that together they
 * leave most of the process and of the pool to other requests.
 */
export const MAX_TABLES = 4;
export const MAX_TABLES_OF_STORE = 1;

/** The size in bytes from which a body with many lines takes milliseconds to check. */
export const LARGE_BODY = 4 * 1024;

/** Overrides {@link LARGE_BODY} for single routes. */
export const LARGE_BODIES: Readonly<Record<string, number>> = {
  // The lines of most orders need less than this, so that they can wait for stock concurrently.
  'POST /v1/orders': 16 * 1024,
  // The preview prices each line, and a hundred lines are 3 kB.
  'POST /v1/orders/preview': 1024,
};

/** Replaces {@link LARGE_BODY} for a body that only its handler parses. */
export const LARGE_RAW_BODY = 16 * 1024;

/** Tasks that wait for a slot. */
export const MAX_WAITING = 64;

/** Key look-ups in flight. Measured: two raise the rate of all reads by a tenth, three add nothing. */
export const MAX_KEY_LOOK_UPS = 2;

/** Reads of a store that share a connection. The number is small because the others wait behind a slow read. */
export const MAX_READS_OF_CONNECTION = 4;

/**
 * The share of the pool for single statements of one store, such as reads: many slow ones still leave connections to
 * other stores.
 */
export const STATEMENTS_OF_STORE = 0.8;

/**
 * The share of the pool that transactions leave to reads, and that the transactions of one store leave to those of
 * others.
 */
export const FREE_OF_TRANSACTIONS = 0.1;

/** The share of the pool for searches. */
export const SEARCHES = 0.4;

/** The share of the pool for bulk changes, and the number of them for one store. */
export const BULK_CHANGES = 0.4;
export const MAX_BULK_CHANGES_OF_STORE = 2;

/**
 * Concurrent sign-in requests that use the database, at most one for each network. They need no key, and their statements
 * share the slots of key look-ups.
 */
export const MAX_SIGN_INS = 2;

/** Mails with sign-in codes that a worker sends concurrently. */
export const MAX_SIGN_IN_MAILS = 20;

/** Merchant notices that a worker sends concurrently, and the same number of invitation mails. */
export const MAX_NOTICES = 5;

/**
 * SMTP connections for sign-in codes, notices and invitations: one for each mail of these kinds. Order mails have others,
 * so that slow recipients do not delay a code.
 */
export const SMTP_CONNECTIONS_OF_PEOPLE = MAX_SIGN_IN_MAILS + 2 * MAX_NOTICES;

/** The share of a worker's concurrent mails of a kind for one store, so that its slow recipients leave slots to others. */
export const MAILS_OF_STORE = 0.5;

/** Webhooks that a worker serves concurrently. One that hangs takes a slot for 20 s, and is then retried later. */
export const MAX_WEBHOOKS_SERVED = 256;

/** Webhooks of one store that a worker serves concurrently, because a store may use many names for one host. */
export const MAX_WEBHOOKS_SERVED_OF_STORE = 32;

/**
 * Webhooks of one store at one host that a worker serves concurrently, so that a hanging host leaves the store slots
 * for others. Stores that share a host, such as that of an integration platform, do not wait for each other.
 */
export const MAX_WEBHOOKS_SERVED_OF_HOST = 10;

/** Pages that a worker reads concurrently for webhooks. The database refuses reads beyond its queue. */
export const MAX_WEBHOOK_READS = 8;

/** Limits one store, so that large records of one store leave slots to the others. */
export const MAX_WEBHOOK_READS_OF_STORE = 2;
