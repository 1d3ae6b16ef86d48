import type { ChargeableOrder, Charges } from '@app/domain';

/** Decides what an order costs in addition to its lines. */
export abstract class OrderCharges {
  /**
   * Called for each order before it is screened, for each preview with a line that can be ordered, and again, with the lines of
   * which nothing has shipped or was given up, when the lines of an order change, or the country, region, postal code or VAT id of an address. Each charge
   * is rounded once, here; nothing rounds it again. A DomainError refuses the order, or the change, with its own text; any other
   * error, and an amount that is not valid, refuses it with 503. Within the deadline of the request.
   */
  abstract chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges>;
}
