const PARTS = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;

/** Returns the offset of the zone from UTC at an instant. */
function offsetOf(at: number, timeZone: string): number {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...PARTS, second: '2-digit' });
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, value]));
  const of = (type: keyof typeof PARTS | 'second') => Number(parts.get(type));
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - at;
}

const DAY_MS = 86_400_000;

/**
 * Returns the instant at which the clocks of the zone show a time. Of two such instants, it returns the earlier. A time
 * that the clocks skip is moved by the length of the gap, so that a day without midnight begins with its first instant.
 * @param local a time such as `2026-03-29T00:00`, as input fields have it.
 */
export function instantOf(local: string, timeZone: string): Date {
  const shown = Date.parse(`${local}Z`);
  const before = offsetOf(shown - DAY_MS, timeZone);
  const candidates = [before, offsetOf(shown + DAY_MS, timeZone)].map((offset) => ({ at: shown - offset, offset }));
  const found = candidates.filter(({ at, offset }) => offsetOf(at, timeZone) === offset).map(({ at }) => at);
  return new Date(found.length > 0 ? Math.min(...found) : shown - before);
}

/**
 * Returns the first instant of a day in ISO 8601, as filters send it.
 * @param days the number of days to add.
 * @returns undefined when the text is not a day of the calendar.
 */
export function startOfDay(date: string | undefined, timeZone: string, days = 0): string | undefined {
  const day = /^[12]\d{3}-\d\d-\d\d$/.test(date ?? '') ? Date.parse(`${date}T00:00Z`) : NaN;
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return undefined;
  return instantOf(new Date(day + days * DAY_MS).toISOString().slice(0, 16), timeZone).toISOString();
}
