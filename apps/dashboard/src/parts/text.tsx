import type { ComponentChildren } from 'preact';

const formatOf = (currency: string) => new Intl.NumberFormat(undefined, { style: 'currency', currency });

const digitsOf = (currency: string): number => formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2;

/** An amount in minor units, as people read it. */
export const money = (minor: number, currency: string): string =>
  formatOf(currency).format(minor / 10 ** digitsOf(currency));

export const plainMoney = (minor: number, currency: string): string =>
  (minor / 10 ** digitsOf(currency)).toFixed(digitsOf(currency));

/** What a person typed, with a point or a comma, in minor units. */
export const minorOf = (text: string, currency: string): number =>
  Math.round(Number(text.trim().replace(',', '.')) * 10 ** digitsOf(currency));

export const stepOf = (currency: string): string => String(10 ** -digitsOf(currency));

export const sum = (numbers: readonly number[]): number => numbers.reduce((before, number) => before + number, 0);
export const noun = (n: number, one: string, many = `${one}s`): string => (n === 1 ? one : many);
export const count = (n: number, one: string, many?: string): string => `${n.toLocaleString()} ${noun(n, one, many)}`;

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export const exactTime = (at: string): string => EXACT.format(new Date(at));

/** In the zone of the browser; the year only where it is another one. */
export function timeText(at: string): string {
  const time = new Date(at);
  const day = time.getFullYear() === new Date().getFullYear() ? DAY : YEAR;
  return `${day.format(time)}, ${CLOCK.format(time)}`;
}

export const Time = ({ at }: { at: string }) => <time dateTime={at} title={at} children={timeText(at)} />;

/** Texts in one line. Those that are empty are left out. */
export const joined = (texts: readonly unknown[]): string => texts.filter(Boolean).join(' · ');

/** Each on a line. Those that are empty are left out. */
export const Lines = ({ of }: { of: readonly ComponentChildren[] }) =>
  of.filter(Boolean).map((text, index) => <span key={index} class="line" children={text} />);

/** The start of a day of the browser in ISO 8601, as filters send it. @param days later. */
export function startOfDay(date: string, days = 0): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + days).toISOString();
}

/** A name inside a sentence: letters that run from right to left do not turn the words around it. */
export const alone = (name: string): string => `\u2068${name || 'without a name'}\u2069`;
