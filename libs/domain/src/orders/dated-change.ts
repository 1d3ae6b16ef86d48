import { DatedTooEarly } from './change-errors.js';
import type { OrderChange } from './order-change.js';
import type { PlacedOrder } from './placed-order.js';

export const MAX_DATED_DAYS = 60;
const DAY_MS = 86_400_000;

/** The earliest time to which a change may be dated. */
export function earliestOf(now: Date): Date {
  return new Date(now.getTime() - MAX_DATED_DAYS * DAY_MS);
}

/**
 * Dates a change to another time than that of its booking. A repeated request changes nothing, so its time may be
 * older.
 * @param at null means now.
 * @throws DatedTooEarly when `at` is more than a day before the order, or more than {@link MAX_DATED_DAYS} before now.
 * The day allows for clocks that differ, checkouts that take the payment before they place the order, and dates without
 * a time.
 */
export function datedChange(
  { state }: PlacedOrder,
  change: OrderChange,
  { at, now }: { readonly at: Date | null; readonly now: Date },
): OrderChange {
  if (!at || change.events.length === 0) return change;
  assertDated(at, new Date(Math.max(state.createdAt.getTime() - DAY_MS, earliestOf(now).getTime())));
  return { ...change, at };
}

/** @throws DatedTooEarly */
export function assertDated(at: Date | null, earliest: Date): void {
  if (at && at < earliest) throw new DatedTooEarly(earliest);
}
