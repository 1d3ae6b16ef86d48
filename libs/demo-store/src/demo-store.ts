import type { BundleLine, StoreLine } from '@app/bundles';
import { demoBrands, demoCategories, demoProducts } from './demo-catalog.js';
import { demoCustomer } from './demo-customers.js';
import { demoOrders, type DemoOrder } from './demo-orders.js';
import { demoBins, demoStock, demoWarehouses } from './demo-stock.js';
import { demoPeople } from './demo-people.js';
import { SeededRandom } from './seeded-random.js';

const SEED = 20_261_120;
const SUBDOMAIN = 'larkmoor';
const CUSTOMERS = 400;
const GUESTS = 120;

export interface DemoStoreOptions {
  /** All dates lie before this moment; the orders lie in the 180 days up to it. */
  readonly now: Date;
}

/**
 * A realistic store as a bundle: profile, warehouses, catalog, stock, 400 customers and 2,500 orders. Every line
 * follows the lines that it refers to.
 *
 * The same `now` gives the same lines. Another `now` moves the dates, and with them the receipt numbers and the
 * statuses of the orders; ids, products, stock and people stay the same.
 */
export function* demoStore({ now }: DemoStoreOptions): Generator<BundleLine, void, undefined> {
  const random = new SeededRandom(SEED);
  yield storeLine();
  yield* demoWarehouses(SUBDOMAIN);
  yield* demoBins(SUBDOMAIN);
  yield* demoBrands(SUBDOMAIN);
  yield* demoCategories(SUBDOMAIN);

  const products = demoProducts(SUBDOMAIN, now, random.fork());
  for (const { line } of products) yield line;
  yield* demoStock(SUBDOMAIN, products, random.fork());

  // A customer's line sums up the customer's orders, which follow it in the bundle.
  const people = demoPeople(CUSTOMERS + GUESTS, random.fork());
  const accounts = people.slice(0, CUSTOMERS);
  const guests = people.slice(CUSTOMERS);
  const orders = demoOrders({ store: SUBDOMAIN, now, accounts, guests, products }, random.fork());
  const ordersOf = groupByAccount(orders);
  for (const person of accounts) {
    yield demoCustomer(SUBDOMAIN, person, ordersOf.get(person) ?? [], now, random.fork());
  }
  for (const { line } of orders) yield line;
}

function groupByAccount(orders: readonly DemoOrder[]): ReadonlyMap<DemoOrder['account'], DemoOrder[]> {
  const groups = new Map<DemoOrder['account'], DemoOrder[]>();
  for (const order of orders) {
    const group = groups.get(order.account);
    if (group === undefined) groups.set(order.account, [order]);
    else group.push(order);
  }
  return groups;
}

function storeLine(): StoreLine {
  return {
    kind: 'store',
    subdomain: SUBDOMAIN,
    name: 'Larkmoor Outdoor & Home',
    custom_domain: 'shop.larkmoor.example',
    currency: 'USD',
    status: 'ACTIVE',
    logo_url: 'https://images.example.com/larkmoor/logo.svg',
    primary_color: '#2f5d50',
    seo_title: 'Larkmoor | Outdoor gear and things for the house',
    contact: {
      email: 'hello@example.com',
      phone: '+1-207-555-0100',
      address: '12 Harbor Street, Portland, ME 04101',
    },
    theme: { name: 'tideline', font: 'serif', corner_radius: 6, dark_mode: false, hero: { layout: 'split' } },
    payment_settings: {
      methods: [
        { methodId: 'cod', enabled: true },
        { methodId: 'offline', enabled: true },
        {
          methodId: 'paylark',
          enabled: true,
          isSandbox: true,
          credentials: { merchant_id: 'demo-merchant', secret_key: 'fake-secret-of-the-demo-store' },
        },
      ],
    },
    ecommerce_settings: {
      template_id: 'tideline-2',
      products_per_page: 24,
      show_out_of_stock: true,
      guest_checkout: true,
      shipping: { free_from: 7500, regions: ['ME', 'NH', 'VT', 'MA', 'RI', 'CT', 'NY'] },
      social: { newsletter: 'https://news.example.com/larkmoor' },
    },
    fraud_settings: {
      blocked_emails: ['chargeback@example.org'],
      blocked_phones: ['+1-518-555-0199'],
      review_amount: 250_000,
    },
  };
}
