import type { TaxLine } from './tax.js';

/** `order` books the placing of the order. */
export const BOOKING_KINDS = [
  'order',
  'lines',
  'credit',
  'payment',
  'refund',
  'chargeback',
  'write_off',
  'cancellation',
] as const;
export type BookingKind = (typeof BOOKING_KINDS)[number];

/** What a booking adds to the amounts of its order, in minor units. It is negative where it takes from them. */
export interface BookedAmounts {
  /** Adds to the total. */
  readonly charged: number;
  readonly credited: number;
  readonly paid: number;
  readonly refunded: number;
}

export interface Booking extends BookedAmounts {
  readonly kind: BookingKind;
  /** The payment or refund that the booking is for; `''` when it is for neither. */
  readonly reference: string;
  /** The tax that is part of what is charged or credited. */
  readonly taxLines: readonly TaxLine[];
}
