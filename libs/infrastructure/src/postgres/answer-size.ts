import type pg from 'pg';
import { READ_INTEGERS } from './integers.js';

/** Counts what a statement returns. */
export interface AnswerSize {
  /** Characters of the values. */
  bytes: number;
}

/** Reads values as the connections do, and adds their length. */
export function counting(size: AnswerSize): pg.CustomTypesConfig {
  return {
    getTypeParser: (oid: number, format?: 'text' | 'binary') => {
      const read = READ_INTEGERS.getTypeParser(oid, format) as (value: string) => unknown;
      return (value: string) => {
        size.bytes += value.length;
        return read(value);
      };
    },
  };
}
