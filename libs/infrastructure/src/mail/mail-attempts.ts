import { backOffInterval } from '../postgres/back-off-interval.js';

/** The attempts at a notice or an invitation. The last comes about three days after the first. */
export const MAX_ATTEMPTS = 20;

/** The wait for the next attempt, in SQL. @param attempts the expression of their number, with the last one. */
export const waitAfter = (attempts: string): string =>
  backOffInterval({ firstMs: 60_000, factor: 2, longestMs: 6 * 3_600_000 }, attempts);
