import type { BackOff } from '@app/domain';

/** SQL for the interval of `backOffMs`. @param failures an expression for the number of failures, from 1. */
export function backOffInterval({ firstMs, factor, longestMs }: BackOff, failures: string): string {
  return `interval '1 ms' * least(${longestMs}, ${firstMs} * ${factor} ^ (${failures} - 1))`;
}
