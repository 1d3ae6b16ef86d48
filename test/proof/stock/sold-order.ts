import { hasLeft, type OrderAnswer, type Units } from '../life/order-answer.js';
import type { Effect } from './shelves.js';

export type StockOrder = Omit<OrderAnswer, 'line_items'> & {
  readonly line_items: readonly {
    readonly line: number;
    readonly product_id: number;
    readonly quantity: number;
    readonly allocations: readonly { readonly bin: string; readonly quantity: number }[];
  }[];
};

interface Pile {
  /** The bin of each unit, in the sequence in which they leave. */
  readonly bins: string[];
  left: number;
  returned: number;
}

/** An order as its packer knows it: the units of a line leave, and come back, in the sequence of its allocations. */
export class SoldOrder {
  readonly id: string;
  private readonly piles = new Map<number, Pile>();

  constructor(private readonly answer: StockOrder) {
    this.id = answer.id;
    for (const { line, allocations } of answer.line_items) {
      const bins = allocations.flatMap(({ bin, quantity }) => Array<string>(quantity).fill(bin));
      this.piles.set(line, { bins, left: 0, returned: 0 });
    }
  }

  get lines(): readonly Units[] {
    return this.answer.line_items.map(({ line, quantity }) => ({ line, quantity }));
  }

  get units(): string[] {
    return [...this.piles.values()].flatMap(({ bins }) => bins);
  }

  /** The bin of each unit that is sold and has not left, by the answer alone. */
  get open(): string[] {
    const { fulfillment_status: status, shipments } = this.answer;
    if (!['PENDING', 'CONFIRMED', 'PROCESSING'].includes(status)) return [];
    const order = new SoldOrder(this.answer);
    for (const { items } of shipments.filter(hasLeft)) order.ship(items);
    return [...order.piles.values()].flatMap(({ bins, left }) => bins.slice(left));
  }

  ship(items: readonly Units[]): Effect[] {
    return this.each(items, -1, -1, (pile) => pile.bins[pile.left++]);
  }

  /** Undoes a parcel that had left. */
  unpack(items: readonly Units[]): Effect[] {
    return this.each(items, 1, 1, (pile) => pile.bins[--pile.left]);
  }

  putBack(items: readonly Units[]): Effect[] {
    return this.each(items, 1, 0, (pile) => pile.bins[pile.returned++]);
  }

  /** Cancels units that have not left. @param restock whether they go back; otherwise they are thrown away. */
  giveUp(items: readonly Units[], restock: boolean): Effect[] {
    return this.each(items, restock ? 0 : -1, -1, (pile) => pile.bins[pile.left++]);
  }

  /** @param restock whether the units go back; otherwise they are thrown away. */
  cancel(restock: boolean): Effect[] {
    return this.units.map((bin) => ({ bin, shelf: restock ? 0 : -1, sold: -1 }));
  }

  private each(
    items: readonly Units[],
    shelf: number,
    sold: number,
    take: (pile: Pile) => string | undefined,
  ): Effect[] {
    return items.flatMap(({ line, quantity }) => {
      const pile = this.piles.get(line);
      if (!pile) throw new Error(`Order ${this.id} has no line ${line}`);
      return Array.from({ length: quantity }, () => ({ bin: take(pile) ?? '', shelf, sold }));
    });
  }
}
