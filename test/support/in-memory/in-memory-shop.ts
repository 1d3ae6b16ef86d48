import {
  CatalogPricing,
  FraudScreening,
  type Clock,
  type HeldOrders,
  type IdempotencyScope,
  type LineRequest,
  type PricedItems,
  type OrderPlacement,
  type Screening,
  type StageRetries,
} from '@app/application';
import {
  assessFraud,
  DEFAULT_FRAUD_SETTINGS,
  Money,
  NO_FACTS,
  OrderLine,
  type Currency,
  type FraudAssessment,
  type FraudFacts,
  type FraudSettings,
  type FraudSignals,
  type OrderContact,
  type UnavailableItem,
} from '@app/domain';
import { InMemoryHeldOrders } from './in-memory-held-orders.js';
import { InMemoryOrderPlacement } from './in-memory-order-placement.js';
import { InMemoryStageRetries } from './in-memory-stage-retries.js';
import {
  InMemoryTransactions,
  itemKey,
  scopeKey,
  type PlacedOrder,
  type QueuedStage,
} from './in-memory-transactions.js';

interface Product {
  readonly id: number;
  readonly productId: number;
  readonly variantId: number | null;
  readonly storeId: number;
  readonly name: string;
  readonly price: number;
  readonly active: boolean;
}

/** The ports that place and change orders, in memory, with the behaviour of their contracts. */
export class InMemoryShop {
  private readonly catalog: Product[] = [];
  private serial = 0;
  private readonly transactions = new InMemoryTransactions();
  /** Assessments by order id. */
  private readonly rejected = new Map<string, FraudAssessment>();
  /** Settings of store 1. Other stores have the defaults. */
  fraudSettings: FraudSettings = DEFAULT_FRAUD_SETTINGS;
  fraudFacts: FraudFacts = NO_FACTS;
  now = new Date('2026-11-20T12:00:00.000Z');

  readonly pricing: CatalogPricing = new InMemoryPricing(this.catalog);
  readonly clock: Clock = { now: () => Promise.resolve(this.now) };
  readonly fraud: FraudScreening = new InMemoryFraud(this);
  readonly placement: OrderPlacement = new InMemoryOrderPlacement(this.transactions);
  readonly held: HeldOrders = new InMemoryHeldOrders(this.transactions);
  readonly retries: StageRetries = new InMemoryStageRetries(this.transactions);

  addProduct({ storeId = 1, name = 'Mug', price = 1000, active = true, stock = [] as number[] } = {}): number {
    const id = ++this.serial;
    return this.add({ id, productId: id, variantId: null, storeId, name, price, active }, stock);
  }

  addVariant(productId: number, { price = 1000, active = true, stock = [] as number[] } = {}): number {
    const product = this.catalog.find(({ id }) => id === productId) as Product;
    return this.add({ ...product, id: ++this.serial, variantId: this.serial, price, active }, stock);
  }

  /** Quantities by bin id. */
  bins(productId: number, variantId: number | null = null): number[] {
    const bins = this.transactions.state.bins.get(itemKey({ productId, variantId })) ?? [];
    return bins.map(({ quantity }) => quantity);
  }

  onHand(productId: number): number {
    return this.bins(productId).reduce((sum, quantity) => sum + quantity, 0);
  }

  /** Lets an endless request hold the key. Returns a function that ends the request. */
  holdKey(scope: IdempotencyScope): () => void {
    this.transactions.heldKeys.add(scopeKey(scope));
    return () => void this.transactions.heldKeys.delete(scopeKey(scope));
  }

  get orders(): readonly PlacedOrder[] {
    return this.transactions.state.orders;
  }

  get queued(): readonly QueuedStage[] {
    return this.transactions.state.queued;
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
    this.transactions.state.bins.set(itemKey(entry), bins);
    return entry.id;
  }
}

class InMemoryPricing extends CatalogPricing {
  constructor(private readonly catalog: readonly Product[]) {
    super();
  }

  override price(storeId: number, currency: Currency, lines: readonly LineRequest[]): Promise<PricedItems> {
    const unavailable: UnavailableItem[] = [];
    const priced = lines.flatMap(({ productId, variantId, quantity }, line) => {
      const offers = this.catalog.filter((entry) => entry.storeId === storeId && entry.productId === productId);
      const product = offers.find((offer) => offer.variantId === null && offer.active);
      const offer = offers.find((entry) => entry.variantId === variantId && entry.active);
      if (!product || !offer) {
        const isVariant = product !== undefined && variantId !== null;
        unavailable.push({
          line,
          ...(isVariant ? { what: 'variant', id: variantId } : { what: 'product', id: productId }),
        });
        return [];
      }
      const unitPrice = Money.ofMinor(offer.price, currency);
      const { name } = product;
      return [new OrderLine({ productId, variantId, sku: '', name, attributes: {}, unitPrice, quantity })];
    });
    return Promise.resolve({ lines: priced, unavailable });
  }
}

class InMemoryFraud extends FraudScreening {
  constructor(private readonly shop: InMemoryShop) {
    super();
  }

  override begin(storeId: number, contact: OrderContact): Screening {
    return { assess: (size) => this.reassess(storeId, { ...contact, ...size }) };
  }

  override reassess(storeId: number, signals: FraudSignals): Promise<FraudAssessment> {
    const settings = storeId === 1 ? this.shop.fraudSettings : DEFAULT_FRAUD_SETTINGS;
    return Promise.resolve(assessFraud(signals, settings, this.shop.fraudFacts));
  }

  override recordRejection(_storeId: number, orderId: string, assessment: FraudAssessment): Promise<void> {
    this.shop.reject(orderId, assessment);
    return Promise.resolve();
  }
}
