/**
 * Converts a bigint, which pg returns as text because not every bigint fits a number.
 *
 * @throws RangeError when it does not fit: a wrong amount must not be shown.
 */
export function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${text}`);
  return value;
}
