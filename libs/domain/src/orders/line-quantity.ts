/** Units of a line of an order, which counts from 1. */
export interface LineQuantity {
  readonly line: number;
  readonly quantity: number;
}
