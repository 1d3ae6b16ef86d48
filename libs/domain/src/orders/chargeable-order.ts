import type { Currency } from '../values/currency.js';
import type { Money } from '../money/money.js';
import type { BillingAddress, PostalAddress } from '../shared/postal-address.js';
import type { OrderCustomer } from './order.js';
import type { OrderLine } from './order-line.js';

/** What an order is charged for, and whom it is for. */
export interface ChargeableOrder {
  readonly currency: Currency;
  readonly paymentMethod: string;
  /** With their prices. Of an order that has been placed, the lines of which nothing has shipped or was given up. */
  readonly lines: readonly OrderLine[];
  /** Sum of the prices of all lines, also of those that are not charged again. */
  readonly subtotal: Money;
  readonly customer: OrderCustomer;
  /** Where it goes. */
  readonly address: PostalAddress;
  /** Who is billed. */
  readonly billing: BillingAddress;
}
