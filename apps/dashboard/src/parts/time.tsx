import type { JSX } from 'preact';

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

export const clock = (at: Date): string => CLOCK.format(at);

/** In the zone of the browser; the year only where it is another one. */
export function timeText(at: string): string {
  const time = new Date(at);
  const day = time.getFullYear() === new Date().getFullYear() ? DAY : YEAR;
  return `${day.format(time)}, ${CLOCK.format(time)}`;
}

export function Time({ at }: { at: string }): JSX.Element {
  return (
    <time dateTime={at} title={at}>
      {timeText(at)}
    </time>
  );
}

/** The start of a day of the browser in ISO 8601, as filters send it. @param days later. */
export function startOfDay(date: string, days = 0): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + days).toISOString();
}
