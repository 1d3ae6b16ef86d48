import type { ChargeableOrder, Charges } from '@app/domain';

/** Decides what an order costs in addition to its lines. */
export abstract class OrderCharges {
  /**
   * Called for each order before it is screened, and for each preview with a line that can be ordered. Called again
   * when the lines of an order change, or the country, region, postal code or VAT id of an address; the order then has
   * only the lines without shipped or cancelled units. Each charge must be rounded once, here; the service does not
   * round again. A DomainError refuses the order, or the change, with its own text. Any other error, and an invalid
   * amount, refuses it with 503. The call must end within the deadline of the request.
   */
  abstract chargesOf(storeId: number, order: ChargeableOrder): Promise<Charges>;
}
