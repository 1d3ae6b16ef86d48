import { backOffInterval } from '../postgres/back-off-interval.js';

/** The attempts at a notice or an invitation. The last is about three days after the first. */
export const MAX_ATTEMPTS = 20;

/**
 * SQL for the wait until the next attempt. @param attempts an expression for the number of attempts, including the last
 * one.
 */
export const waitAfter = (attempts: string): string =>
  backOffInterval({ firstMs: 60_000, factor: 2, longestMs: 6 * 3_600_000 }, attempts);
