import {
  CatalogPricing,
  Clock,
  FraudScreening,
  HeldOrders,
  IdempotencyClaims,
  IdempotencyRecords,
  NewOrders,
  NOTIFICATION_STAGES,
  OrderExists,
  OrderStates,
  OrderPipeline,
  ReceiptNumberTaken,
  StockRepository,
  UnitOfWork,
  type IdempotencyRecord,
  type HeldFilter,
  type HeldOrder,
  type IdempotencyScope,
  type LineRequest,
  type NotificationStage,
  type Transaction,
} from '@app/application';
import {
  allocateFromBins,
  assessFraud,
  DEFAULT_FRAUD_SETTINGS,
  InvalidOrderItems,
  Money,
  NO_FACTS,
  OrderLine,
  OutOfStock,
  UNAVAILABLE,
  type Currency,
  type FraudAssessment,
  type FraudFacts,
  type FraudSettings,
  type FraudSignals,
  type Order,
  type OrderState,
  type Shortage,
  type StockDemand,
} from '@app/domain';

interface Product {
  readonly id: number;
  readonly productId: number;
  readonly variantId: number | null;
  readonly storeId: number;
  readonly name: string;
  readonly price: number;
  readonly active: boolean;
}

interface PlacedOrder {
  readonly order: Order;
  readonly assessment: FraudAssessment;
  readonly state: OrderState;
}

interface QueuedStage {
  readonly orderId: string;
  readonly stage: NotificationStage;
  readonly state: 'pending' | 'held' | 'dead';
  /** Empty unless it is held, or was. */
  readonly heldFor: readonly string[];
}

interface State {
  /** Units by bin, of one product or variant. */
  bins: Map<string, { binId: number; quantity: number }[]>;
  orders: PlacedOrder[];
  queued: QueuedStage[];
  /** Units that orders took, by order. */
  taken: Map<string, { bins: string; binId: number; quantity: number }[]>;
  idempotency: Map<string, { requestHash: Buffer; response: Buffer | null }>;
}

/** All ports that placing an order needs, in memory, with the behaviour that their contracts ask for. */
export class InMemoryShop {
  private readonly catalog: Product[] = [];
  private serial = 0;
  private state: State = { bins: new Map(), orders: [], queued: [], taken: new Map(), idempotency: new Map() };
  private previous: Promise<unknown> = Promise.resolve();
  /** By the id of the order. */
  private readonly rejected = new Map<string, FraudAssessment>();
  /** Of store 1; the others have none. */
  fraudSettings: FraudSettings = DEFAULT_FRAUD_SETTINGS;
  fraudFacts: FraudFacts = NO_FACTS;
  now = new Date('2026-11-20T12:00:00.000Z');

  readonly pricing: CatalogPricing = new InMemoryPricing(this.catalog);
  readonly clock: Clock = { now: () => this.now };
  readonly fraud: FraudScreening = new InMemoryFraud(this);
  readonly held: HeldOrders = new InMemoryHeldOrders(this);
  readonly idempotency: IdempotencyRecords = {
    find: (scope) => Promise.resolve(recordOf(this.state.idempotency.get(keyOf(scope)))),
  };
  readonly unitOfWork: UnitOfWork = {
    // One transaction at a time, on a copy that replaces the state when it commits.
    run: <T>(work: (transaction: Transaction) => Promise<T>) => {
      const run = this.previous.then(async () => {
        const copy = copyOf(this.state);
        const result = await work(transactionOn(copy));
        this.state = copy;
        return result;
      });
      this.previous = run.catch(() => undefined);
      return run;
    },
  };

  addProduct({ storeId = 1, name = 'Mug', price = 1000, active = true, stock = [] as number[] } = {}): number {
    const id = ++this.serial;
    return this.add({ id, productId: id, variantId: null, storeId, name, price, active }, stock);
  }

  addVariant(productId: number, { price = 1000, active = true, stock = [] as number[] } = {}): number {
    const product = this.catalog.find(({ id }) => id === productId) as Product;
    return this.add({ ...product, id: ++this.serial, variantId: this.serial, price, active }, stock);
  }

  onHand(productId: number, variantId: number | null = null): number {
    const bins = this.state.bins.get(`${productId}/${variantId ?? 0}`) ?? [];
    return bins.reduce((sum, { quantity }) => sum + quantity, 0);
  }

  get orders(): readonly PlacedOrder[] {
    return this.state.orders;
  }

  get queued(): readonly QueuedStage[] {
    return this.state.queued;
  }

  get rejections(): readonly FraudAssessment[] {
    return [...this.rejected.values()];
  }

  rejectionOf(orderId: string): FraudAssessment | null {
    return this.rejected.get(orderId) ?? null;
  }

  reject(orderId: string, assessment: FraudAssessment): void {
    this.rejected.set(orderId, assessment);
  }

  private add(entry: Product, stock: number[]): number {
    this.catalog.push(entry);
    const bins = stock.map((quantity) => ({ binId: ++this.serial, quantity }));
    this.state.bins.set(`${entry.productId}/${entry.variantId ?? 0}`, bins);
    return entry.id;
  }
}

class InMemoryPricing extends CatalogPricing {
  constructor(private readonly catalog: readonly Product[]) {
    super();
  }

  override price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<OrderLine[]> {
    const faults: string[] = [];
    const priced = lines.flatMap(({ productId, variantId, quantity }, index) => {
      const offers = this.catalog.filter((entry) => entry.storeId === storeId && entry.productId === productId);
      const product = offers.find((offer) => offer.variantId === null && offer.active);
      const offer = offers.find((entry) => entry.variantId === variantId && entry.active);
      if (!product || !offer) {
        const what = product ? `variant_id ${variantId}` : `product_id ${productId}`;
        faults.push(`items[${index}].${what} is not available`);
        return [];
      }
      const unitPrice = Money.ofMinor(offer.price, currency);
      const { name } = product;
      return [new OrderLine({ productId, variantId, sku: '', name, attributes: {}, unitPrice, quantity })];
    });
    return faults.length > 0 ? Promise.reject(new InvalidOrderItems(faults.join('; '))) : Promise.resolve(priced);
  }
}

class InMemoryHeldOrders extends HeldOrders {
  constructor(private readonly shop: InMemoryShop) {
    super();
  }

  override list({ subdomain, reasons }: HeldFilter, limit: number, after: string | null): Promise<HeldOrder[]> {
    const found = this.shop.queued
      .filter(({ state }) => state === 'held')
      .filter(({ heldFor }) => !reasons || (heldFor.length > 0 && heldFor.every((reason) => reasons.includes(reason))))
      .filter(({ orderId }) => after === null || orderId > after)
      .flatMap(({ orderId, heldFor }) =>
        this.shop.orders
          .filter(({ order }) => order.id === orderId)
          .map(({ order }) => ({ ...heldOrder(order), reasons: heldFor })),
      )
      .filter((order) => subdomain === null || order.subdomain === subdomain)
      .sort((a, b) => (a.orderId < b.orderId ? -1 : 1));
    return Promise.resolve(found.slice(0, limit));
  }
}

function heldOrder({ storeId, id, receiptNumber, total, currency, isTest, placedAt }: Order) {
  const place = { storeId, subdomain: `store-${storeId}`, orderId: id };
  return { ...place, receiptNumber, totalAmount: total.minor, currency, isTest, createdAt: placedAt };
}

class InMemoryFraud extends FraudScreening {
  constructor(private readonly shop: InMemoryShop) {
    super();
  }

  override assess(storeId: number, signals: FraudSignals): Promise<FraudAssessment> {
    const settings = storeId === 1 ? this.shop.fraudSettings : DEFAULT_FRAUD_SETTINGS;
    return Promise.resolve(assessFraud(signals, settings, this.shop.fraudFacts));
  }

  override reassess(storeId: number, signals: FraudSignals): Promise<FraudAssessment> {
    return this.assess(storeId, signals);
  }

  override recordRejection(_storeId: number, orderId: string, assessment: FraudAssessment): Promise<void> {
    this.shop.reject(orderId, assessment);
    return Promise.resolve();
  }
}

function transactionOn(state: State): Transaction {
  return {
    orders: new InMemoryNewOrders(state),
    orderStates: new InMemoryOrderStates(state),
    stock: new InMemoryStock(state),
    pipeline: new InMemoryPipeline(state),
    idempotency: new InMemoryClaims(state),
  };
}

class InMemoryNewOrders extends NewOrders {
  constructor(private readonly state: State) {
    super();
  }

  override insert(order: Order, assessment: FraudAssessment): Promise<void> {
    const taken = this.state.orders.some(
      (other) => other.order.storeId === order.storeId && other.order.receiptNumber === order.receiptNumber,
    );
    if (this.state.orders.some((other) => other.order.id === order.id)) return Promise.reject(new OrderExists());
    if (taken) return Promise.reject(new ReceiptNumberTaken());
    const { status, fulfillmentStatus } = order;
    this.state.orders.push({ order, assessment, state: { status, fulfillmentStatus } });
    return Promise.resolve();
  }
}

class InMemoryOrderStates extends OrderStates {
  constructor(private readonly state: State) {
    super();
  }

  override lock(storeId: number, orderId: string): Promise<OrderState | null> {
    return Promise.resolve(
      this.state.orders.find(({ order }) => order.storeId === storeId && order.id === orderId)?.state ?? null,
    );
  }

  override save(_storeId: number, orderId: string, state: OrderState): Promise<void> {
    this.state.orders = this.state.orders.map((placed) =>
      placed.order.id === orderId ? { ...placed, state } : placed,
    );
    return Promise.resolve();
  }
}

class InMemoryStock extends StockRepository {
  constructor(private readonly state: State) {
    super();
  }

  override withdraw(_storeId: number, orderId: string, demands: readonly StockDemand[]): Promise<void> {
    const shortages: Shortage[] = [];
    for (const { productId, variantId, quantity, lines } of demands) {
      const bins = this.state.bins.get(`${productId}/${variantId ?? 0}`) ?? [];
      const taken = allocateFromBins(bins, quantity);
      const available = bins.reduce((sum, bin) => sum + bin.quantity, 0);
      if (!taken) shortages.push(...lines.map((line) => ({ line, requested: quantity, available })));
      for (const bin of bins) bin.quantity -= taken?.find(({ binId }) => binId === bin.binId)?.quantity ?? 0;
      const moves = (taken ?? []).map((bin) => ({ bins: `${productId}/${variantId ?? 0}`, ...bin }));
      this.state.taken.set(orderId, [...(this.state.taken.get(orderId) ?? []), ...moves]);
    }
    return shortages.length > 0 ? Promise.reject(new OutOfStock(shortages)) : Promise.resolve();
  }

  override restock(_storeId: number, orderId: string): Promise<number> {
    const moves = this.state.taken.get(orderId) ?? [];
    for (const move of moves) {
      const bin = this.state.bins.get(move.bins)?.find(({ binId }) => binId === move.binId);
      if (bin) bin.quantity += move.quantity;
    }
    this.state.taken.delete(orderId);
    return Promise.resolve(moves.reduce((sum, { quantity }) => sum + quantity, 0));
  }
}

class InMemoryPipeline extends OrderPipeline {
  constructor(private readonly state: State) {
    super();
  }

  override enqueue(_storeId: number, orderId: string, { verdict, reasons }: FraudAssessment): Promise<void> {
    for (const stage of NOTIFICATION_STAGES) {
      const held = stage === 'notify-customer' && verdict === 'REVIEW';
      const heldFor = held ? reasons.map(({ rule }) => rule) : [];
      this.state.queued.push({ orderId, stage, state: held ? 'held' : 'pending', heldFor });
    }
    return Promise.resolve();
  }

  override heldFor(_storeId: number, orderId: string): Promise<readonly string[] | null> {
    return Promise.resolve(this.held(orderId)?.heldFor ?? null);
  }

  override release(storeId: number, orderId: string): Promise<boolean> {
    if (!this.isOf(storeId, orderId)) return Promise.resolve(false);
    return Promise.resolve(this.move(orderId, 'held', 'pending').length > 0);
  }

  override settle(storeId: number, orderId: string, assessment: FraudAssessment): Promise<boolean> {
    const unsettled = this.held(orderId)?.heldFor.join() === UNAVAILABLE;
    if (!unsettled || !this.isOf(storeId, orderId)) return Promise.resolve(false);
    const heldFor = assessment.reasons.map(({ rule }) => rule);
    this.state.queued = this.state.queued.map((job) =>
      job.orderId === orderId && job.state === 'held' ? { ...job, heldFor } : job,
    );
    this.state.orders = this.state.orders.map((placed) =>
      placed.order.id === orderId ? { ...placed, assessment } : placed,
    );
    if (assessment.verdict === 'ACCEPT') this.move(orderId, 'held', 'pending');
    return Promise.resolve(true);
  }

  override abandonHeld(_storeId: number, orderId: string): Promise<void> {
    this.move(orderId, 'held', 'dead');
    return Promise.resolve();
  }

  override retry(_storeId: number, orderId: string): Promise<NotificationStage[]> {
    const placed = this.state.orders.find(({ order }) => order.id === orderId);
    const cancelled = placed?.state.fulfillmentStatus === 'CANCELLED';
    return Promise.resolve(
      this.move(orderId, 'dead', 'pending', (stage) => !(cancelled && stage === 'notify-customer')),
    );
  }

  private held(orderId: string): QueuedStage | undefined {
    return this.state.queued.find((job) => job.orderId === orderId && job.state === 'held');
  }

  private isOf(storeId: number, orderId: string): boolean {
    return this.state.orders.some(({ order }) => order.storeId === storeId && order.id === orderId);
  }

  private move(
    orderId: string,
    from: QueuedStage['state'],
    to: QueuedStage['state'],
    which: (stage: NotificationStage) => boolean = () => true,
  ): NotificationStage[] {
    const moved = this.state.queued.filter((job) => job.orderId === orderId && job.state === from && which(job.stage));
    this.state.queued = this.state.queued.map((job) => (moved.includes(job) ? { ...job, state: to } : job));
    return moved.map(({ stage }) => stage);
  }
}

class InMemoryClaims extends IdempotencyClaims {
  constructor(private readonly state: State) {
    super();
  }

  override claim(scope: IdempotencyScope, requestHash: Buffer): Promise<IdempotencyRecord | null> {
    const claimed = this.state.idempotency.get(keyOf(scope));
    if (!claimed) this.state.idempotency.set(keyOf(scope), { requestHash, response: null });
    return Promise.resolve(recordOf(claimed));
  }

  override store(scope: IdempotencyScope, response: Buffer): Promise<void> {
    const claim = this.state.idempotency.get(keyOf(scope));
    if (claim) claim.response = response;
    return Promise.resolve();
  }
}

function keyOf({ storeId, mode, key }: IdempotencyScope): string {
  return `${storeId}/${mode}/${key}`;
}

function recordOf(claim: { requestHash: Buffer; response: Buffer | null } | undefined): IdempotencyRecord | null {
  return claim?.response ? { requestHash: claim.requestHash, response: claim.response } : null;
}

function copyOf({ bins, orders, queued, taken, idempotency }: State): State {
  return {
    bins: new Map([...bins].map(([key, rows]) => [key, rows.map((row) => ({ ...row }))])),
    orders: [...orders],
    queued: [...queued],
    taken: new Map(taken),
    idempotency: new Map([...idempotency].map(([key, claim]) => [key, { ...claim }])),
  };
}
