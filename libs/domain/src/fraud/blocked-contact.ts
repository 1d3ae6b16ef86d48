/** Ignores letter case and surrounding spaces. */
export function isBlockedEmail(email: string, blocked: readonly string[]): boolean {
  return isListed(email, blocked, (text) => text.trim().toLowerCase());
}

/** Ignores how the two numbers are formatted. */
export function isBlockedPhone(phone: string, blocked: readonly string[]): boolean {
  return isListed(phone, blocked, comparablePhone);
}

function isListed(value: string, blocked: readonly string[], normalize: (text: string) => string): boolean {
  const normal = normalize(value);
  return normal !== '' && blocked.some((entry) => normalize(entry) === normal);
}

/**
 * Returns the digits without the international prefix `00`, which stands for `+`. The SQL function comparable_phone,
 * which indexes use, does the same; `test/contracts/schema.spec.ts` compares them.
 */
export function comparablePhone(phone: string): string {
  return phone.replace(/[^0-9]/g, '').replace(/^00/, '');
}
