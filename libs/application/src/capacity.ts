/**
 * What a process takes on at a time, in the order in which a request meets the limits. Beyond each, a request waits its turn or
 * gets 503 `overloaded`. `capacity.spec.ts` checks how they nest.
 */

/**
 * Connections of clients. Many times the concurrent requests, so that a refused client still reads its 503, and balancers keep
 * their connections. The server closes connections above the limit without an answer.
 */
export const MAX_CONNECTIONS = 4_096;

/** Requests at a time, by their kind: a crowd of readers cannot block orders. The body of an import takes much memory. */
export const MAX_REQUESTS = { orders: 160, reads: 320, waits: 256, imports: 16 } as const;

/**
 * Requests of one store, by their kind: a crowd of one store cannot block the others. A wait for changes lasts so long that a
 * store has few.
 */
export const MAX_REQUESTS_OF_STORE = { orders: 128, reads: 256, waits: 64, imports: 12 } as const;

/** Characters of an answer, or bytes read for it, that keep the process from other requests for milliseconds. */
export const LARGE_ANSWER = 256 * 1024;

/**
 * Routes whose answers may be large each time. The turns know lists with large fields, too. The feed is not one: after a restart, many
 * of its readers come back at the same time, and wait for changes.
 */
export const LARGE_ROUTES: readonly string[] = [
  'GET /v1/customers/:id/personal-data',
  'GET /v1/journal',
  'GET /v1/orders/:id/history',
];

/** Characters of answers of a store that clients have not read: a slow reader keeps its answer in memory for long. */
export const MAX_UNREAD_OF_STORE = 32 * 1024 * 1024;

/** Bytes of a body that takes milliseconds to check, by its many lines. */
export const LARGE_BODY = 4 * 1024;

/** The same for routes that differ. */
export const LARGE_BODIES: Readonly<Record<string, number>> = {
  // The lines of most orders need less: those may wait for stock beside each other.
  'POST /v1/orders': 16 * 1024,
  // Each line is priced, and a hundred lines are 3 kB.
  'POST /v1/orders/preview': 1024,
};

/** The same for a body that only its handler reads. */
export const LARGE_RAW_BODY = 16 * 1024;

/** Tasks that wait for a turn. One owner, such as a store, takes half of the places. */
export const MAX_WAITING = 64;

/** Look-ups of keys in flight. Measured: two raise the rate of all reads by a tenth, three bring no more. */
export const MAX_KEY_LOOK_UPS = 2;

/** Reads of a store that share a connection. A small number, because the others wait behind a slow one. */
export const MAX_READS_OF_CONNECTION = 4;

/**
 * The share of the pool that single statements of one store may take, such as reads: slow ones of a crowd leave connections to
 * other stores.
 */
export const STATEMENTS_OF_STORE = 0.8;

/** The share of the pool that transactions leave to reads, and those of one store to the transactions of another, too. */
export const FREE_OF_TRANSACTIONS = 0.1;

/** The share of the pool that searches may take. */
export const SEARCHES = 0.4;

/** The share of the pool that changes of many rows may take, and how many of them one store. */
export const BULK_CHANGES = 0.4;
export const MAX_BULK_CHANGES_OF_STORE = 2;

/**
 * Requests about sign-ins that ask the database at a time, of which a network has one: they need no key, and their statements and
 * the look-ups of keys take the same turns.
 */
export const MAX_SIGN_INS = 2;

/** Mails with codes of sign-ins that a worker sends at a time. */
export const MAX_SIGN_IN_MAILS = 20;

/** Notices to merchants that a worker sends at a time, and as many mails to people who were added. */
export const MAX_NOTICES = 5;

/**
 * Connections to the mail server besides those of order mails. As many as the mails that use them: order mails to servers that
 * answer slowly do not delay a code.
 */
export const SMTP_CONNECTIONS_OF_PEOPLE = MAX_SIGN_IN_MAILS + 2 * MAX_NOTICES;

/** The share of the mails of a kind at a time that one store may have: its slow recipients leave places to other stores. */
export const MAILS_OF_STORE = 0.5;

/** Webhooks that a worker serves at a time. One that hangs takes a place for 20 s, and then pauses. */
export const MAX_WEBHOOKS_SERVED = 256;

/** Webhooks of one store that a worker serves at a time: a store may use many names for one host. */
export const MAX_WEBHOOKS_SERVED_OF_STORE = 32;

/**
 * Webhooks of one store at one host that a worker serves at a time: a host that hangs leaves the store places for others.
 * Stores that share a host, such as that of an integration platform, do not wait for each other.
 */
export const MAX_WEBHOOKS_SERVED_OF_HOST = 10;

/** Pages that a worker reads for its webhooks at a time: the database refuses what finds no place to wait. */
export const MAX_WEBHOOK_READS = 8;

/** A store of large records leaves the others their places. */
export const MAX_WEBHOOK_READS_OF_STORE = 2;
