import { backOffMs } from '../shared/back-off.js';

/** Which resources changed, or their records as well. */
export const WEBHOOK_BODIES = ['thin', 'full'] as const;
export type WebhookBody = (typeof WEBHOOK_BODIES)[number];

export type WebhookState = 'active' | 'paused';

/**
 * A client or an operator paused it, the receiver answered 410, it failed for three days, or deletions after its place
 * are no longer kept.
 */
export const PAUSE_REASONS = ['requested', 'gone', 'failing', 'cursor_expired'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Changes in one message. */
export const MAX_WEBHOOK_BATCH = 100;
/** Characters. */
export const MAX_WEBHOOK_NAME = 100;
/** Webhooks of a store in one mode. */
export const MAX_WEBHOOKS = 50;
/** How long the old secret still signs after a rotation. */
export const MAX_SECRET_OVERLAP_MS = 7 * 24 * 3_600_000;

const BACK_OFF = { firstMs: 5_000, factor: 2, longestMs: 6 * 3_600_000 };
/** A receiver that needs longer should be paused. */
const MAX_ASKED_MS = 24 * 3_600_000;
const PAUSE_AFTER_MS = 3 * 24 * 3_600_000;

/**
 * The delay has full jitter: receivers that came back are not met by all at once.
 * @param failures in a row, from 1. @param random from 0 to 1.
 * @param askedMs by `Retry-After`; obeyed up to a day.
 */
export function retryDelayMs(failures: number, askedMs: number | null, random: number): number {
  return Math.max(random * backOffMs(BACK_OFF, failures), Math.min(askedMs ?? 0, MAX_ASKED_MS));
}

export function hasFailedTooLong(failingForMs: number): boolean {
  return failingForMs >= PAUSE_AFTER_MS;
}
