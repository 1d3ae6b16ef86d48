import fc from 'fast-check';
import { StoreFixture } from '../../builders/store-fixture.js';
import { Buyers } from '../support/buyers.js';
import { History, type Exchange } from '../support/history.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';
import { AWKWARD } from './texts.js';

export interface PricedProduct {
  readonly id: number;
  /** `''` for none. */
  readonly sku: string;
  readonly price: number;
  /** True when stock exceeds the sum of all orders, variants included; false when there is none. */
  readonly isInStock: boolean;
  readonly variants: readonly { readonly id: number; readonly price: number }[];
  /** What the price list of one customer asks for the product itself. */
  readonly listed?: { readonly customer: string; readonly price: number; readonly priceOfTen: number };
}

interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

export type NamedResource = 'products' | 'customers' | 'categories' | 'brands';

export interface Scene {
  readonly context: ProofContext;
  readonly store: StoreFixture;
  readonly service: Service;
  readonly catalog: readonly PricedProduct[];
  /** All active products: a damaged order may name any of them. */
  readonly products: readonly PricedProduct[];
  readonly rows: Readonly<Record<NamedResource, readonly NamedRow[]>>;
  readonly violations: string[];
  readonly runs: number;
  sent: number;
  send(method: string, path: string, body?: unknown): Promise<Exchange>;
  /** Reads without recording: the answers contain texts of clients, which may resemble leaks. */
  read(path: string): Promise<Exchange>;
  close(): void;
}

const STOCK = 2_000_000_000;
const PRICES = [1, 199, 10_001, 1_400_000_000];
const LONG_SLUG = 'long-'.repeat(40);

const OF_OWNER = /^\/v1\/(keys|settings|audit)\b/;

export async function openScene(context: ProofContext, runs: number): Promise<Scene> {
  const { rig, history, random } = context;
  const store = await StoreFixture.create(rig.database);
  const service = await rig.startService();
  const rows = await awkwardRows(store);
  const catalog = await pricedProducts(store);
  const recorded = new Buyers(store, history, random);
  // The scope `full` has neither `keys` nor `settings`.
  const owner = { id: store.id, key: await store.createKey('live', 'read,keys,settings') };
  const [keeper, reader] = [new Buyers(owner, history, random), new Buyers(owner, new History(), random)];
  const unrecorded = new Buyers(store, new History(), random);
  const scene: Scene = {
    context,
    store,
    service,
    catalog,
    products: [...catalog, ...rows.products.map(({ id }) => soldOut(Number(id)))],
    rows,
    violations: [],
    runs,
    sent: 0,
    send: (method, path, body) => {
      scene.sent++;
      const client = OF_OWNER.test(path) ? keeper : recorded;
      return client.send(service, { method, path, body });
    },
    read: (path) => {
      scene.sent++;
      const client = OF_OWNER.test(path) ? reader : unrecorded;
      return client.send(service, { method: 'GET', path });
    },
    close: () => {
      recorded.close();
      keeper.close();
      reader.close();
      unrecorded.close();
    },
  };
  return scene;
}

/** Tests a property with cases of the proof's seed. @param faultOf `null` when the answer to a case has no fault. */
export async function explore<T>(
  scene: Scene,
  name: string,
  cases: fc.Arbitrary<T>,
  faultOf: (value: T) => Promise<string | null> | string | null,
): Promise<void> {
  const property = fc.asyncProperty(cases, async (value) => {
    const fault = await faultOf(value);
    if (fault !== null) throw new Error(fault);
  });
  const { failed, counterexample, errorInstance } = await fc.check(property, {
    numRuns: scene.runs,
    seed: scene.context.seed,
  });
  if (!failed) return;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  scene.violations.push(`${name}: ${reason}, of ${fc.stringify(counterexample?.[0]).slice(0, 1_000)}`);
}

async function awkwardRows(store: StoreFixture): Promise<Scene['rows']> {
  const rows = { products: [], customers: [], categories: [], brands: [] } as Record<NamedResource, NamedRow[]>;
  for (const [n, name] of [...AWKWARD, 'a name with a long slug'].entries()) {
    // Slugs of all lengths and with every character of a name: operators may choose any.
    const slug = n === AWKWARD.length ? LONG_SLUG : `${n} ${name}`;
    rows.products.push({ id: String(await store.product({ name, slug })), name, slug });
    rows.categories.push({ id: String(await store.category({ name, slug })), name, slug });
    rows.brands.push({ id: String(await store.brand({ name, slug })), name, slug });
    const id = await store.customer({ name, email: `c${n}@example.com` });
    rows.customers.push({ id, name, slug: id });
  }
  return rows;
}

function soldOut(id: number): PricedProduct {
  return { id, sku: '', price: NaN, isInStock: false, variants: [] };
}

async function pricedProducts(store: StoreFixture): Promise<PricedProduct[]> {
  const catalog: PricedProduct[] = [];
  const list = await store.priceList();
  const customer = await store.customer({ price_list: list });
  for (const price of PRICES) {
    const sku = `Priced-${price}`;
    const id = await store.product({ sku, price, stock: STOCK });
    const variant = await store.variant(id, { price: price + 50, stock: STOCK });
    const listed = { customer, price: price + 7, priceOfTen: price + 3 };
    await store.listPrice(list, { productId: id, price: listed.price });
    await store.listPrice(list, { productId: id, from: 10, price: listed.priceOfTen });
    catalog.push({ id, sku, price, isInStock: true, variants: [{ id: variant, price: price + 50 }], listed });
  }
  return catalog;
}
