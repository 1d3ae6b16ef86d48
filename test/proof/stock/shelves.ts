import { dataOf } from '../support/history.js';
import type { StockedStore } from '../support/shop.js';

const PAGE = 100;

export interface Effect {
  readonly bin: string;
  readonly shelf: number;
  readonly sold: number;
}

/** What lies in a bin, how much of it is sold, and the units that came or left without a report. */
export interface Contents {
  readonly shelf: number;
  readonly sold: number;
  readonly unreported: number;
}

/** A cursor that a counter read, with the moments between which the feed had that place. */
export interface Place {
  readonly number: number;
  readonly cursor: string;
  readonly began: number;
  readonly ended: number;
}

interface Move {
  readonly began: number;
  /** Is Infinity while the client has no answer. */
  ended: number;
  shelf: number;
  sold: number;
  readonly isReported: boolean;
  /** The order that was placed: whether it is before a position is up to the feed. */
  readonly orderId: string | null;
}

export class Bin {
  private readonly moves: Move[] = [];

  constructor(
    readonly code: string,
    readonly productId: number,
    readonly opening: number,
  ) {}

  add(move: Move): Move {
    this.moves.push(move);
    return move;
  }

  /** @param isBefore returns null when unknown. @returns null when that is unknown for a move. */
  contents(isBefore: (move: Move) => boolean | null): Contents | null {
    let [shelf, sold, unreported] = [this.opening, 0, 0];
    for (const move of this.moves) {
      if (move.shelf === 0 && move.sold === 0 && move.ended !== Infinity) continue;
      const before = isBefore(move);
      if (before === null) return null;
      if (!before) continue;
      shelf += move.shelf;
      sold += move.sold;
      if (!move.isReported) unreported += move.shelf;
    }
    return { shelf, sold, unreported };
  }
}

const FILLED_AT_ONCE = 500;

// Products with one bin and with two, of few units each: orders take from several bins, and stock runs out.
const FILL = `
  WITH made AS (
    INSERT INTO products (store_id, slug, sku, name, price)
    SELECT $1, 'shelf-' || n, 'SHELF-' || n, 'Shelf ' || n, 199 + n FROM generate_series($2::int, $3::int) AS n
    RETURNING id
  ), places AS (
    INSERT INTO bins (store_id, warehouse_id, code)
    SELECT $1, warehouses.id, 'S-' || made.id || '-' || n
    FROM warehouses CROSS JOIN made CROSS JOIN LATERAL generate_series(0, made.id % 2) AS n WHERE store_id = $1
    RETURNING id, split_part(code, '-', 2)::int AS product_id
  ), filled AS (
    INSERT INTO stock (store_id, bin_id, product_id, quantity)
    SELECT $1, id, product_id, 4 + id % 17 FROM places RETURNING *
  )
  INSERT INTO stock_movements (store_id, bin_id, product_id, variant_key, kind, quantity)
  SELECT store_id, bin_id, product_id, variant_key, 'OPENING', quantity FROM filled`;

interface StockRow {
  readonly bin: string;
  readonly product_id: number;
  readonly quantity: number;
}

export async function readStock(
  { buyers }: StockedStore,
  services: readonly { readonly url: string }[],
): Promise<StockRow[]> {
  const rows: StockRow[] = [];
  for (let page = 1; ; page++) {
    const request = { method: 'GET', path: `/v1/stock?limit=${PAGE}&page=${page}` };
    const data = dataOf<StockRow[]>(await buyers.insist(services, undefined, request));
    rows.push(...data);
    if (data.length < PAGE) return rows;
  }
}

export async function fillShelves(
  shop: StockedStore,
  services: readonly { readonly url: string }[],
  products: number,
): Promise<Shelves> {
  // An import does the same: one statement for all of them would have the plan of an empty store.
  for (let first = 1; first <= products; first += FILLED_AT_ONCE) {
    const last = Math.min(products, first + FILLED_AT_ONCE - 1);
    await shop.context.rig.database.query(FILL, [shop.store.id, first, last]);
  }
  const rows = await readStock(shop, services);
  return new Shelves(rows.map(({ bin, product_id, quantity }) => new Bin(bin, product_id, quantity)));
}

/** Records what clients did, which took place between their request and its answer, by the clock of this process. */
export class Shelves {
  private readonly byCode: ReadonlyMap<string, Bin>;
  /** The number of the first position that shows an order. */
  private readonly shown = new Map<string, number>();
  private readonly placed = new Set<string>();
  private readonly unanswered = new Map<string, number>();
  private clock = 0;

  constructor(readonly bins: readonly Bin[]) {
    this.byCode = new Map(bins.map((bin) => [bin.code, bin]));
  }

  now(): number {
    return ++this.clock;
  }

  bin(code: string): Bin {
    const bin = this.byCode.get(code);
    if (!bin) throw new Error(`There is no bin ${code}`);
    return bin;
  }

  /** Expects that everything `act` does to the bins happens before it resolves. */
  async change(bins: readonly string[], act: () => Promise<readonly Effect[]>): Promise<void> {
    const began = this.now();
    const open = { began, ended: Infinity, shelf: 0, sold: 0, isReported: true, orderId: null };
    const moves = new Map([...new Set(bins)].map((code) => [code, this.bin(code).add({ ...open })]));
    for (const { bin, shelf, sold } of await act()) {
      const move = moves.get(bin);
      if (!move) throw new Error(`Nobody said that bin ${bin} may change`);
      move.shelf += shelf;
      move.sold += sold;
    }
    const ended = this.now();
    for (const move of moves.values()) move.ended = ended;
  }

  misplace(bin: Bin, shelf: number): void {
    const at = this.now();
    bin.add({ began: at, ended: at, shelf, sold: 0, isReported: false, orderId: null });
  }

  sell(orderId: string, units: readonly string[]): void {
    const at = this.now();
    for (const unit of units)
      this.bin(unit).add({ began: at, ended: at, shelf: 0, sold: 1, isReported: true, orderId });
    this.placed.add(orderId);
    this.unanswered.delete(orderId);
  }

  show(orderId: string, place: number): void {
    if (this.shown.has(orderId)) return;
    this.shown.set(orderId, place);
    if (!this.placed.has(orderId)) this.unanswered.set(orderId, place);
  }

  /** Returns what a counter finds at a position; null when somebody was working there, or an order is not known yet. */
  at(bin: Bin, place: Place): Contents | null {
    if ([...this.unanswered.values()].some((number) => number <= place.number)) return null;
    return bin.contents(({ orderId, began, ended }) => {
      if (orderId !== null) return (this.shown.get(orderId) ?? Infinity) <= place.number;
      if (ended < place.began) return true;
      return began > place.ended ? false : null;
    });
  }

  /** Returns the contents when nothing is in flight. */
  present(bin: Bin): Contents {
    return bin.contents(() => true) as Contents;
  }
}
