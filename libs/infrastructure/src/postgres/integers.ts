import pg from 'pg';

const BIGINT = 20;

/**
 * How the connections read values: bigint as a number, although pg returns text because not every bigint fits a number.
 * Throws a RangeError when a value does not fit: a wrong amount must not be shown.
 */
export const READ_INTEGERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? toSafeInteger : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
};

/** @throws RangeError for an integer that is not exact as a number. */
export function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${text}`);
  return value;
}
