/**
 * A bigint, which pg gives as text because not every one fits a number.
 *
 * @throws RangeError when this one does not: a wrong amount must not be shown.
 */
export function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Not a safe integer: ${text}`);
  return value;
}
