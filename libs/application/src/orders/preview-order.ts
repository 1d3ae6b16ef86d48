import { Quote, sumDemand, type OrderLine, type Shortage, type StockDemand, type UnavailableItem } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { CatalogPricing } from '../ports/catalog-pricing.js';
import { OrderPlacement } from '../ports/order-placement.js';
import { isCurrencyExpected, type CreateOrderCommand } from './create-order.js';

export type PreviewOrderCommand = Omit<CreateOrderCommand, 'idempotencyKey'>;

/** What an order would cost at this moment, and why it would be refused. Line numbers are those of the request. */
export interface OrderPreview {
  readonly quote: Quote;
  readonly unavailable: readonly UnavailableItem[];
  readonly shortages: readonly Shortage[];
  readonly isReferenceTaken: boolean;
  readonly isCurrencyMismatched: boolean;
  /** Whether the client expects another total. Not judged while a line cannot be priced. */
  readonly isPriceChanged: boolean;
}

@Injectable()
export class PreviewOrder {
  constructor(
    private readonly pricing: CatalogPricing,
    private readonly placement: OrderPlacement,
  ) {}

  /**
   * Prices an order like `CreateOrder` and checks its stock and its external reference, without locks and without writing.
   * Runs no fraud rule: their verdicts would show clients how to evade them.
   *
   * @throws DeadlineExceeded when the deadline passes.
   */
  execute(command: PreviewOrderCommand): Promise<OrderPreview> {
    return command.deadline.bound(this.preview(command));
  }

  private async preview(command: PreviewOrderCommand): Promise<OrderPreview> {
    const { store, mode, request } = command;
    const { items, paymentMethod, externalReference, expectedTotal } = request;
    const { lines, unavailable } = await this.pricing.price(store.id, store.currency, items);
    const reference = { storeId: store.id, isTest: mode === 'test', externalReference };
    const check = await this.placement.check(reference, demandOf(items.length, lines, unavailable));
    const quote = new Quote({ currency: store.currency, paymentMethod, lines });
    const isPriceChanged = unavailable.length === 0 && !quote.costs(expectedTotal);
    return { quote, unavailable, isCurrencyMismatched: !isCurrencyExpected(command), isPriceChanged, ...check };
  }
}

/** The demand of the priced lines, with the line numbers of the request. */
function demandOf(
  count: number,
  priced: readonly OrderLine[],
  unavailable: readonly UnavailableItem[],
): readonly StockDemand[] {
  const isUnavailable = new Set(unavailable.map(({ line }) => line));
  const numbers = Array.from({ length: count }, (_, line) => line).filter((line) => !isUnavailable.has(line));
  return sumDemand(priced).map(({ lines, ...demand }) => ({
    ...demand,
    lines: lines.map((line) => numbers[line] ?? line),
  }));
}
