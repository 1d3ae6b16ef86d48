/** The API promises these times, so operators cannot change them. */

/** An idempotency key is known for at least this long after its order. */
export const IDEMPOTENCY_KEY_RETENTION_HOURS = 24;

/** A count can be placed at a cursor of the feed for at least this long. */
export const COUNT_SNAPSHOT_RETENTION_DAYS = 7;

/** A reader of the feed learns of a deletion for this long. */
export const DELETION_RETENTION_DAYS = 90;
