const YEAR_1 = new Date('0001-01-01T00:00Z');
const YEAR_10000 = new Date('+010000-01-01T00:00Z');

/**
 * Whether the year has four digits in UTC, which an offset can change. ISO 8601 and PostgreSQL write other years
 * differently.
 */
const isInCalendar = (time: Date): boolean => time >= YEAR_1 && time < YEAR_10000;

/** Whether the calendar has the day: the `Date` constructor reads 30 February as 2 March. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** @param text `YYYY-MM-DD`. @returns the first moment of the day in UTC. */
export function readDay(text: string): Date | null {
  const day = new Date(text);
  return isDay(text) && isInCalendar(day) ? day : null;
}

/** @param text in ISO 8601 with a zone. Digits finer than milliseconds do not count. */
export function readTime(text: string): Date | null {
  const time = new Date(text);
  return isDay(text.slice(0, 10)) && isInCalendar(time) ? time : null;
}
