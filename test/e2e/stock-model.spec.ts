import { FeedReader } from '../support/feed-reader.js';
import { seededRandom } from '../support/seeded-random.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const STEPS = 100;
const BINS = 3;
const WORDS = [
  ...[
    'sell',
    'sell',
    'ship',
    'pick',
    'send',
    'drop',
    'undo',
    'takeBack',
    'cancel',
    'receive',
    'receive',
    'count',
    'count',
  ],
] as const;

let application: RunningApi;
beforeAll(async () => {
  application = await startApi({ THROTTLE_PER_10S: '0' });
});
afterAll(() => application.stop());

interface OrderAnswer {
  readonly id: string;
  readonly line_items: readonly {
    readonly line: number;
    readonly allocations: readonly { readonly bin: string; readonly quantity: number }[];
  }[];
}

interface Parcel {
  readonly reference: string;
  status: 'picking' | 'shipped' | 'void';
}

interface PackedUnit {
  readonly bin: string;
  /** Null, or a void one, while no picker has claimed the unit. */
  parcel: Parcel | null;
  hasReturned: boolean;
}

/** A line as its packer knows it, with its units in the order of the allocations. */
interface PackedLine {
  readonly line: number;
  readonly units: readonly PackedUnit[];
}

interface PackedOrder {
  readonly id: string;
  readonly lines: readonly PackedLine[];
  isCancelled: boolean;
}

const isUnclaimed = ({ parcel }: PackedUnit) => parcel === null || parcel.status === 'void';
const isShipped = ({ parcel }: PackedUnit) => parcel?.status === 'shipped';
const returnable = ({ units }: PackedLine) =>
  units.filter(isShipped).length - units.filter(({ hasReturned }) => hasReturned).length;

/**
 * A warehouse where one thing happens after the other. It knows the units on each shelf, and whose units they are from the
 * allocations of the orders alone. What is free is what lies on a shelf and belongs to no order.
 */
class Warehouse {
  readonly shelves = new Map<string, number>();
  readonly orders: PackedOrder[] = [];
  private serial = 0;

  constructor(
    private readonly api: RunningApi,
    private readonly product: number,
    private readonly draw: (below: number) => number,
    private readonly reader = new FeedReader(api, 'kinds=orders'),
  ) {}

  static async open(seed: number): Promise<Warehouse> {
    const api = await application.withStore();
    const product = await api.store.product({ stock: Array<number>(BINS).fill(4) });
    const warehouse = new Warehouse(api, product, seededRandom(seed));
    for (const { bin, quantity } of await warehouse.stock()) warehouse.shelves.set(bin, quantity);
    return warehouse;
  }

  async stock(): Promise<{ bin: string; quantity: number }[]> {
    const answer = await this.api.get(`/v1/stock?product_id=${this.product}`);
    return answer.json<{ data: { bin: string; quantity: number }[] }>().data;
  }

  free(): Map<string, number> {
    const free = new Map(this.shelves);
    for (const { lines, isCancelled } of this.orders) {
      if (isCancelled) continue;
      for (const { units } of lines) for (const unit of units) if (!isShipped(unit)) add(free, unit.bin, -1);
    }
    return free;
  }

  async step(): Promise<string> {
    const acts = {
      sell: () => this.sell(),
      ship: () => this.ship('shipped'),
      pick: () => this.ship('picking'),
      send: () => this.changeParcel('picking', 'shipped'),
      drop: () => this.changeParcel('picking', 'void'),
      undo: () => this.changeParcel('shipped', 'void'),
      takeBack: () => this.takeBack(),
      cancel: () => this.cancel(),
      receive: () => this.receive(),
      count: () => this.count(),
    };
    const word = WORDS[this.draw(WORDS.length)] ?? 'count';
    await acts[word]();
    return word;
  }

  private async sell(): Promise<void> {
    const items = Array.from({ length: 1 + this.draw(2) }, () => ({
      product_id: this.product,
      quantity: 1 + this.draw(7),
    }));
    const response = await this.api.post('/v1/orders', { items, customer: { name: 'Ada' } });
    if (response.headers['x-error-code'] === 'out_of_stock') return;
    expect([response.statusCode, response.body]).toEqual([201, expect.any(String)]);
    const id = response.json<{ data: { order_id: string } }>().data.order_id;
    const { line_items: lines } = (await this.api.get(`/v1/orders/${id}`)).json<{ data: OrderAnswer }>().data;
    const packed = lines.map(({ line, allocations }) => ({
      line,
      units: allocations.flatMap(({ bin, quantity }) =>
        Array.from({ length: quantity }, (): PackedUnit => ({ bin, parcel: null, hasReturned: false })),
      ),
    }));
    this.orders.push({ id, lines: packed, isCancelled: false });
  }

  private async ship(status: 'picking' | 'shipped'): Promise<void> {
    const found = this.find(({ units }) => units.filter(isUnclaimed).length);
    if (!found) return;
    const [order, line, quantity] = found;
    const parcel: Parcel = { reference: `S-${++this.serial}`, status };
    const items = [{ line: line.line, quantity }];
    await this.done(`/v1/orders/${order.id}/shipments`, { reference: parcel.reference, status, items });
    for (const unit of line.units.filter(isUnclaimed).slice(0, quantity)) {
      unit.parcel = parcel;
      if (status === 'shipped') add(this.shelves, unit.bin, -1);
    }
  }

  private async changeParcel(from: Parcel['status'], to: Parcel['status']): Promise<void> {
    const found = this.find(({ units }) => (units.some(({ parcel }) => parcel?.status === from) ? 1 : 0));
    if (!found) return;
    const [order, line] = found;
    const parcel = line.units.find((unit) => unit.parcel?.status === from)?.parcel;
    const units = line.units.filter((unit) => unit.parcel === parcel);
    // A shipment whose units have returned stays.
    if (!parcel || (from === 'shipped' && returnable(line) < units.length)) return;
    const response = await this.api.inject({
      method: 'PATCH',
      url: `/v1/orders/${order.id}/shipments/${parcel.reference}`,
      headers: { authorization: `Bearer ${this.api.store.key}` },
      payload: { status: to },
    });
    expect(response.body).toMatch(/^{"success":true/);
    parcel.status = to;
    const moved = from === 'shipped' ? 1 : to === 'shipped' ? -1 : 0;
    for (const { bin } of units) add(this.shelves, bin, moved);
  }

  private async takeBack(): Promise<void> {
    const found = this.find(returnable);
    if (!found) return;
    const [order, line, quantity] = found;
    const items = [{ line: line.line, quantity }];
    const refund = { reference: `R-${++this.serial}`, amount: 0, restock: true, lines: items };
    await this.done(`/v1/orders/${order.id}/refunds`, refund);
    for (const unit of line.units.filter((each) => isShipped(each) && !each.hasReturned).slice(0, quantity)) {
      unit.hasReturned = true;
      add(this.shelves, unit.bin, 1);
    }
  }

  private async cancel(): Promise<void> {
    const open = this.orders.filter(
      ({ lines, isCancelled }) => !isCancelled && lines.every(({ units }) => units.every(isUnclaimed)),
    );
    const order = open[this.draw(open.length || 1)];
    if (!order || this.draw(2) === 0) return;
    await this.done(`/v1/orders/${order.id}/cancel`, {});
    order.isCancelled = true;
  }

  private async receive(): Promise<void> {
    const [bin, units] = [this.anyBin(), 1 + this.draw(6)];
    await this.done('/v1/stock', { lines: [{ product_id: this.product, bin, adjust: units }] });
    add(this.shelves, bin, units);
  }

  /** Units are found, or lost unless they are sold, and then somebody counts what is there. */
  private async count(): Promise<void> {
    const bin = this.anyBin();
    add(this.shelves, bin, this.draw(2) === 0 ? this.draw(3) : -Math.min(this.draw(3), this.free().get(bin) ?? 0));
    await this.reader.catchUp();
    const basis = this.draw(2) === 0 ? 'on_hand' : 'available';
    const counted = (basis === 'on_hand' ? this.shelves : this.free()).get(bin) ?? 0;
    const line = { product_id: this.product, bin, counted, as_of: this.reader.cursor, basis };
    const response = await this.api.post('/v1/stock', { lines: [line] });
    const [result] = response.json<{ data: { lines: object[] } }>().data.lines;
    expect({ basis, ...result }).toMatchObject({ code: '', short: 0, after: this.free().get(bin) });
  }

  private find(unitsOf: (line: PackedLine) => number): [PackedOrder, PackedLine, number] | null {
    const found = this.orders.flatMap((order) =>
      order.isCancelled ? [] : order.lines.flatMap((line) => (unitsOf(line) > 0 ? [[order, line] as const] : [])),
    );
    const [order, line] = found[this.draw(found.length || 1)] ?? [];
    return order && line ? [order, line, 1 + this.draw(unitsOf(line))] : null;
  }

  private anyBin(): string {
    return [...this.shelves.keys()][this.draw(this.shelves.size)] ?? '';
  }

  private async done(path: string, body: object): Promise<void> {
    expect((await this.api.post(path, body)).body).toMatch(/^{"success":true/);
  }
}

function add(units: Map<string, number>, bin = '', by: number): void {
  units.set(bin, (units.get(bin) ?? 0) + by);
}

it.each([1, 2])(
  'keeps in every bin the units that lie there and belong to no order, for orders with a product in several lines (seed %i)',
  async (seed) => {
    const warehouse = await Warehouse.open(seed);
    const done: string[] = [];
    for (let n = 0; n < STEPS; n++) {
      done.push(await warehouse.step());

      const stock = new Map((await warehouse.stock()).map(({ bin, quantity }) => [bin, quantity]));
      expect({ seed, n, done: done.slice(-3), stock }).toEqual({
        seed,
        n,
        done: done.slice(-3),
        stock: warehouse.free(),
      });
    }
    expect(done).toEqual(expect.arrayContaining([...WORDS]));
    expect(warehouse.orders.some(({ lines }) => lines.length > 1)).toBe(true);
  },
  60_000,
);
