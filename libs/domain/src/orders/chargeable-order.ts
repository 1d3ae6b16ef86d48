import type { Currency } from '../values/currency.js';
import type { Money } from '../money/money.js';
import type { BillingAddress, PostalAddress } from '../shared/postal-address.js';
import type { OrderCustomer } from './order.js';
import type { OrderLine } from './order-line.js';

/** The lines, addresses and amounts that taxes and shipping are computed from. */
export interface ChargeableOrder {
  readonly currency: Currency;
  readonly paymentMethod: string;
  /** Each line has its price. A placed order lists only the lines without shipped or cancelled units. */
  readonly lines: readonly OrderLine[];
  /** The sum of all line prices, including lines that are not charged again. */
  readonly subtotal: Money;
  readonly customer: OrderCustomer;
  /** The address that the order ships to. */
  readonly address: PostalAddress;
  /** The address that is billed. */
  readonly billing: BillingAddress;
}
