/** Whether the list contains the e-mail. Letter case and surrounding spaces do not matter. */
export function isBlockedEmail(email: string, blocked: readonly string[]): boolean {
  return isListed(email, blocked, normalizeEmail);
}

/** Whether the list contains the phone. Spacing, punctuation and the prefixes `+` and `00` do not matter. */
export function isBlockedPhone(phone: string, blocked: readonly string[]): boolean {
  return isListed(phone, blocked, normalizePhone);
}

function isListed(value: string, blocked: readonly string[], normalize: (text: string) => string): boolean {
  const normal = normalize(value);
  return normal !== '' && blocked.some((entry) => normalize(entry) === normal);
}

function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Keeps the digits only, because one number has many spellings. A leading `00` dials the same as `+`. */
function normalizePhone(phone: string): string {
  return phone.replace(/[^0-9]/g, '').replace(/^00/, '');
}
