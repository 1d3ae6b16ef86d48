/** The wait after a failed attempt, which grows with each failure. */
export interface BackOff {
  /** The wait after the first failure. */
  readonly firstMs: number;
  readonly factor: number;
  readonly longestMs: number;
}

/** @param failures the number of consecutive failures, from 1. */
export function backOffMs({ firstMs, factor, longestMs }: BackOff, failures: number): number {
  return Math.min(longestMs, firstMs * factor ** (failures - 1));
}
