const YEAR_1 = new Date('0001-01-01T00:00Z');
const YEAR_10000 = new Date('+010000-01-01T00:00Z');

/**
 * Whether the year has four digits in UTC, which an offset can change. ISO 8601 and PostgreSQL write other years
 * differently.
 */
export const isInCalendar = (time: Date): boolean => time >= YEAR_1 && time < YEAR_10000;
