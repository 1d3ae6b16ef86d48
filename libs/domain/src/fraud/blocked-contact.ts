/** Whether the e-mail is on the list, whatever the letter case and the spaces around it. */
export function isBlockedEmail(email: string, blocked: readonly string[]): boolean {
  return isListed(email, blocked, normalizeEmail);
}

/** Whether the phone is on the list, however the two are written. */
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

/** Digits only, because the ways to write one number are many; `00` is how a phone dials `+`. */
function normalizePhone(phone: string): string {
  return phone.replace(/[^0-9]/g, '').replace(/^00/, '');
}
