/** Writes a time as in `2026-03-29 14:05 Europe/Berlin`. */
export function localTime(at: Date, timeZone: string): string {
  // Swedish dates are those of ISO 8601.
  return `${at.toLocaleString('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })} ${timeZone}`;
}
