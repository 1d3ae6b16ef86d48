/** Whether the e-mail is on the list, ignoring letter case and surrounding spaces. */
export function isBlockedEmail(email: string, blocked: readonly string[]): boolean {
  return isListed(email, blocked, normalizeEmail);
}

/** Whether the phone is on the list, ignoring how the two numbers are formatted. */
export function isBlockedPhone(phone: string, blocked: readonly string[]): boolean {
  return isListed(phone, blocked, comparablePhone);
}

function isListed(value: string, blocked: readonly string[], normalize: (text: string) => string): boolean {
  const normal = normalize(value);
  return normal !== '' && blocked.some((entry) => normalize(entry) === normal);
}

function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Reduces a phone number to its digits, without the international prefix `00`, which stands for `+`. The SQL function
 * comparable_phone, which indexes use, does the same; `test/contracts/schema.spec.ts` holds the two together.
 */
export function comparablePhone(phone: string): string {
  return phone.replace(/[^0-9]/g, '').replace(/^00/, '');
}
