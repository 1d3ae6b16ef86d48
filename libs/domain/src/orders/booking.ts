import type { TaxLine } from './tax.js';

/** `order` is the placing. */
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

/** What a booking adds to the amounts of its order, in minor units; negative where it takes from them. */
export interface BookedAmounts {
  /** To the total. */
  readonly charged: number;
  readonly credited: number;
  readonly paid: number;
  readonly refunded: number;
}

export interface Booking extends BookedAmounts {
  readonly kind: BookingKind;
  /** The payment or refund that it is about; `''` for none. */
  readonly reference: string;
  /** The tax in what is charged or credited. */
  readonly taxLines: readonly TaxLine[];
}
