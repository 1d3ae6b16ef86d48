import { backOffMs } from '../shared/back-off.js';

/** Whether a message names only the changed resources, or contains their records. */
export const WEBHOOK_BODIES = ['thin', 'full'] as const;
export type WebhookBody = (typeof WEBHOOK_BODIES)[number];

export type WebhookState = 'active' | 'paused';

/**
 * Why a webhook is paused: a client or an operator paused it, the receiver answered 410, it failed for three days, or
 * deletions after its cursor are no longer kept.
 */
export const PAUSE_REASONS = ['requested', 'gone', 'failing', 'cursor_expired'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** The maximum number of changes in one message. */
export const MAX_WEBHOOK_BATCH = 100;
/** The maximum length in characters. */
export const MAX_WEBHOOK_NAME = 100;
/** The maximum number of webhooks of a store in one mode. */
export const MAX_WEBHOOKS = 50;
/** How long the previous secret may still sign after a rotation. */
export const MAX_SECRET_OVERLAP_MS = 7 * 24 * 3_600_000;

const BACK_OFF = { firstMs: 5_000, factor: 2, longestMs: 6 * 3_600_000 };
/** Longer waits that a receiver asks for are cut to this: such a receiver should be paused. */
const MAX_ASKED_MS = 24 * 3_600_000;
const PAUSE_AFTER_MS = 3 * 24 * 3_600_000;

/**
 * The delay has full jitter, so that recovering receivers do not get all retries at once.
 * @param failures the number of consecutive failures, from 1. @param random from 0 to 1.
 * @param askedMs the wait that `Retry-After` asks for; obeyed up to a day.
 */
export function retryDelayMs(failures: number, askedMs: number | null, random: number): number {
  return Math.max(random * backOffMs(BACK_OFF, failures), Math.min(askedMs ?? 0, MAX_ASKED_MS));
}

export function hasFailedTooLong(failingForMs: number): boolean {
  return failingForMs >= PAUSE_AFTER_MS;
}
