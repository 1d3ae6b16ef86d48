import {
  assertMetadataFits,
  costs,
  sumDemand,
  type OrderLine,
  type Quote,
  type StockDemand,
  type UnavailableItem,
  type UnofferedQuantity,
} from '@app/domain';
import { Injectable } from '@nestjs/common';
import { OrderPlacement, type PlacementCheck } from '../ports/order-placement.js';
import { isCurrencyExpected, metadataOf, type CreateOrderCommand } from './create-order.js';
import { OrderQuotes } from './order-quotes.js';

export type PreviewOrderCommand = Omit<CreateOrderCommand, 'idempotency'>;

/** Line numbers refer to the request. */
export interface OrderPreview extends PlacementCheck {
  readonly quote: Quote;
  readonly unavailable: readonly UnavailableItem[];
  readonly notOffered: readonly UnofferedQuantity[];
  readonly isCurrencyMismatched: boolean;
  /** Is false while a line cannot be priced. */
  readonly isPriceChanged: boolean;
}

@Injectable()
export class PreviewOrder {
  constructor(
    private readonly quotes: OrderQuotes,
    private readonly placement: OrderPlacement,
  ) {}

  /**
   * Prices and checks an order without locks and without writing. It runs no fraud rule, because a verdict would show
   * how to evade the rules. @throws DeadlineExceeded, MetadataTooLarge, AmbiguousSku, UnknownCustomer,
   * ChargesUnavailable, or the DomainError with which the charges refuse the order
   */
  execute(command: PreviewOrderCommand): Promise<OrderPreview> {
    return command.deadline.bound(this.preview(command));
  }

  private async preview(command: PreviewOrderCommand): Promise<OrderPreview> {
    const { store, mode, request } = command;
    const { items, externalReference, expectedTotal } = request;
    assertMetadataFits(metadataOf(request));
    const { lines, unavailable, notOffered = [] } = await this.quotes.price(command, new Date());
    const reference = { storeId: store.id, isTest: mode === 'test', externalReference };
    const check = await this.placement.check(reference, demandOf(items.length, lines, unavailable));
    const quote = await this.quotes.charge(command, lines);
    const isPriceChanged = unavailable.length === 0 && !costs(quote, expectedTotal);
    return {
      ...{ quote, unavailable, notOffered, isPriceChanged },
      isCurrencyMismatched: !isCurrencyExpected(command),
      ...check,
    };
  }
}

/** The demand uses the line numbers of the request. */
function demandOf(
  count: number,
  priced: readonly OrderLine[],
  unavailable: readonly UnavailableItem[],
): readonly StockDemand[] {
  const isUnavailable = new Set(unavailable.map(({ line }) => line));
  const numbers = Array.from({ length: count }, (_, line) => line).filter((line) => !isUnavailable.has(line));
  return sumDemand(priced).map(({ lines, ...demand }) => ({
    ...demand,
    lines: lines.map(({ line, quantity }) => ({ line: numbers[line] ?? line, quantity })),
  }));
}
