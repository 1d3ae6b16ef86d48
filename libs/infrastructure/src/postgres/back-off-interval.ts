import type { BackOff } from '@app/domain';

/** The interval of `backOffMs`, in SQL. @param failures the expression of their number, from 1. */
export function backOffInterval({ firstMs, factor, longestMs }: BackOff, failures: string): string {
  return `interval '1 ms' * least(${longestMs}, ${firstMs} * ${factor} ^ (${failures} - 1))`;
}
