import type { ComponentChildren } from 'preact';
import { keyNow } from '../http.js';

export const sum = (numbers: readonly number[]): number => numbers.reduce((before, number) => before + number, 0);
export const noun = (n: number, one: string, many = `${one}s`): string => (n === 1 ? one : many);
export const count = (n: number, one: string, many?: string): string => `${n.toLocaleString()} ${noun(n, one, many)}`;

/** @throws when the browser does not know the zone. */
const formatsIn = (timeZone: string) => ({
  timeZone,
  day: new Intl.DateTimeFormat(undefined, { timeZone, day: 'numeric', month: 'short' }),
  year: new Intl.DateTimeFormat(undefined, { timeZone, day: 'numeric', month: 'short', year: 'numeric' }),
  exact: new Intl.DateTimeFormat(undefined, { timeZone, dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }),
  clock: new Intl.DateTimeFormat(undefined, { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  onlyYear: new Intl.DateTimeFormat('en', { timeZone, year: 'numeric' }),
});
let named = 'UTC';
let formats = formatsIn(named);

function formatsNow() {
  const zone = keyNow()?.store.time_zone ?? 'UTC';
  if (zone === named) return formats;
  named = zone;
  try {
    formats = formatsIn(zone);
  } catch {
    formats = formatsIn('UTC');
  }
  return formats;
}

/**
 * The time zone of all days and times in the dashboard: that of the store, or UTC when the browser does not know it.
 */
export const timeZone = (): string => formatsNow().timeZone;

export const exactTime = (at: string): string => formatsNow().exact.format(new Date(at));

/** Shows the year only when it is not the current one. */
export function timeText(at: string): string {
  const { day, year, clock, onlyYear } = formatsNow();
  const time = new Date(at);
  const isThisYear = onlyYear.format(time) === onlyYear.format(new Date());
  return `${(isThisYear ? day : year).format(time)}, ${clock.format(time)}`;
}

export const Time = ({ at }: { at: string }) => <time dateTime={at} title={at} children={timeText(at)} />;

/** Shows a day of the calendar, such as `2026-12-31`. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', dateStyle: 'medium' }).format(new Date(day));

/** Joins texts in one line and omits empty ones. */
export const joined = (texts: readonly unknown[]): string => texts.filter(Boolean).join(' · ');

/** Shows each text on a line and omits empty ones. */
export const Lines = ({ of }: { of: readonly ComponentChildren[] }) =>
  of.filter(Boolean).map((text, index) => <span key={index} class="line" children={text} />);

/** Isolates a name inside a sentence, so that right-to-left letters do not reorder the words around it. */
export const isolateBidi = (name: string): string => `\u2068${name || 'unnamed'}\u2069`;
