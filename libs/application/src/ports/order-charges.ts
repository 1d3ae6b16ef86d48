import type { Charges, OrderCustomer, PostalAddress, Quote } from '@app/domain';

/** The lines of an order, each rounded, with their sum, and whom the order is for. */
export interface ChargeableOrder extends Omit<Quote, 'charges' | 'total'> {
  readonly customer: OrderCustomer;
  /** Where it goes. */
  readonly address: PostalAddress;
}

/** Decides what a new order costs in addition to its lines. */
export abstract class OrderCharges {
  /**
   * Called for each order before it is screened, and for each preview with a line that can be ordered. Each charge is
   * rounded once, here; nothing rounds it again. A DomainError refuses the order with its own text; any other error, and
   * an amount that is not valid, refuses it with 503. Within the deadline of the order.
   */
  abstract chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges>;
}
