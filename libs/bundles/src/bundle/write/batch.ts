import { Money, MAX_UNIT_PRICE, type Currency } from '@app/domain';
import type { EntityManager } from 'typeorm';
import type { DataCipher } from '@app/infrastructure';
import type { BundleLine } from '../schema/bundle.js';
import type { EmailKey } from './email-keys.js';
import { BundleLineError } from '../check/faults.js';
import type { Tally } from './import-counts.js';
import type { KnownTargets } from './known-targets.js';

/** A checked line with its number in the bundle. */
export interface Numbered<Line extends BundleLine = BundleLine> {
  readonly number: number;
  readonly line: Line;
}

/** The context that all writers of one batch share: its transaction, and the rows known in it. */
export interface Batch {
  readonly manager: EntityManager;
  readonly cipher: DataCipher;
  readonly known: KnownTargets;
  readonly tally: Tally;
  readonly faults: BundleLineError[];
  readonly emailKey: EmailKey;
}

/** The store that lines belong to. */
export interface Owner {
  readonly id: number;
  readonly subdomain: string;
  readonly currency: Currency;
}

/** Writes lines of one kind and one store. No two of them have the same natural key. */
export type WriteLines<Line extends BundleLine> = (
  batch: Batch,
  store: Owner,
  lines: readonly Numbered<Line>[],
) => Promise<void>;

/** @throws BundleLineError when the price exceeds the highest unit price of an order. */
export function unitPrice(price: string, currency: Currency, line: number, path: string): number {
  const tooHigh = () =>
    new BundleLineError(line, `${path} must not be higher than ${MAX_UNIT_PRICE} minor units of ${currency}`);
  let minor: number;
  try {
    ({ minor } = Money.parse(price, currency));
  } catch {
    throw tooHigh(); // the line check has already verified the format
  }
  if (minor > MAX_UNIT_PRICE) throw tooHigh();
  return minor;
}
