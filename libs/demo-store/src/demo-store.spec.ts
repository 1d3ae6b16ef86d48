import type { BundleLine, OrderRecordLine, ProductLine } from '@app/bundles';
import { demoStore } from './demo-store.js';

const NOW = new Date('2026-11-20T15:30:00.000Z');
const DAY_MS = 86_400_000;

const PAYMENT_STATUSES = ['CANCELLED', 'FAILED', 'PENDING', 'REFUNDED', 'SUCCEEDED'];
const FULFILLMENT_STATUSES = ['CANCELLED', 'CONFIRMED', 'DELIVERED', 'PENDING', 'PROCESSING', 'RETURNED', 'SHIPPED'];

const lines = [...demoStore({ now: NOW })];

function linesOf<K extends BundleLine['kind']>(kind: K, from: readonly BundleLine[] = lines) {
  return from.filter((line): line is Extract<BundleLine, { kind: K }> => line.kind === kind);
}

/** A line's key, and the keys of the lines that must precede it. */
function keyAndTargets(line: BundleLine): { key: string; targets: string[] } {
  const ofStore = { targets: ['store larkmoor'] };
  switch (line.kind) {
    case 'store':
      return { key: `store ${line.subdomain}`, targets: [] };
    case 'warehouse':
      return { key: `warehouse ${line.code}`, ...ofStore };
    case 'bin':
      return { key: `bin ${line.warehouse}/${line.code}`, targets: [`warehouse ${line.warehouse}`] };
    case 'brand':
      return { key: `brand ${line.slug}`, ...ofStore };
    case 'category':
      return { key: `category ${line.slug}`, targets: line.parent ? [`category ${line.parent}`] : ofStore.targets };
    case 'product':
      return {
        key: `product ${line.slug}`,
        targets: [
          ...(line.brand ? [`brand ${line.brand}`] : []),
          ...(line.categories ?? []).map((slug) => `category ${slug}`),
        ],
      };
    case 'stock':
      return {
        key: `stock ${line.bin} ${line.product} ${line.variant ?? ''}`,
        targets: [`bin ${line.bin}`, sellableKey(line)],
      };
    case 'customer':
      return { key: `customer ${(line.email ?? '').toLowerCase()}`, ...ofStore };
    case 'order':
      return { key: `order ${line.receipt_number}`, targets: (line.line_items ?? []).map(sellableKey) };
  }
}

const sellableKey = ({ product, variant }: { product?: string | null; variant?: string | null }) =>
  variant ? `variant ${product} ${variant}` : `product ${product}`;

const variantKeys = (line: BundleLine) =>
  line.kind === 'product'
    ? (line.variants ?? []).map(({ sku }) => sellableKey({ product: line.slug, variant: sku }))
    : [];

const distinct = (values: readonly string[]) => [...new Set(values)].sort();

const weekdays = Array.from({ length: 7 }, (_, day) => new Date(NOW.getTime() + day * DAY_MS));

describe('demoStore', () => {
  it('gives the same lines for the same moment', () => {
    expect([...demoStore({ now: new Date(NOW) })]).toEqual(lines);
  });

  it('changes neither ids, products nor stock quantities when the moment changes', () => {
    const later = [...demoStore({ now: new Date(NOW.getTime() + 3 * DAY_MS) })];

    const undated = (from: readonly BundleLine[]) =>
      linesOf('product', from).map((product) => ({ ...product, created_at: '' }));

    expect(undated(later)).toEqual(undated(lines));
    expect(linesOf('stock', later)).toEqual(linesOf('stock'));
    expect(linesOf('customer', later).map(({ id }) => id)).toEqual(linesOf('customer').map(({ id }) => id));
    expect(new Set(linesOf('order', later).map(({ id }) => id))).toEqual(new Set(linesOf('order').map(({ id }) => id)));
  });

  it('names everything once', () => {
    const keys = lines.flatMap((line) => [keyAndTargets(line).key, ...variantKeys(line)]);
    const ids = [...linesOf('customer'), ...linesOf('order')].map(({ id }) => id);

    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(linesOf('product').map(({ sku }) => sku)).size).toBe(linesOf('product').length);
  });

  it('refers only to lines that precede the reference', () => {
    const known = new Set<string>();
    const dangling = lines.flatMap((line) => {
      const { key, targets } = keyAndTargets(line);
      const missing = targets.filter((target) => !known.has(target)).map((target) => `${key} → ${target}`);
      for (const added of [key, ...variantKeys(line)]) known.add(added);
      return missing;
    });

    expect(dangling).toEqual([]);
  });

  it('has the size of a real small shop', () => {
    const count = (kind: BundleLine['kind']) => linesOf(kind).length;

    expect(count('store')).toBe(1);
    expect(linesOf('warehouse').map(({ active }) => active)).toEqual([true, true, false]);
    expect(count('bin')).toBe(10);
    expect(linesOf('brand').filter(({ active }) => active)).toHaveLength(11);
    expect(linesOf('category').filter(({ active }) => active)).toHaveLength(20);
    expect(count('product')).toBe(300);
    expect(count('stock')).toBeGreaterThan(1000);
    expect(count('customer')).toBe(400);
    expect(count('order')).toBe(2500);
  });
});

describe('demo catalog', () => {
  const products = linesOf('product');

  it('prices everything in decimal text with two decimals', () => {
    const prices = products.flatMap(({ price, variants = [] }) => [price, ...variants.map((v) => v.price ?? '')]);

    expect(prices.filter((price) => !/^[1-9]\d*\.\d{2}$/.test(price))).toEqual([]);
  });

  it('gives about 60 % of the products two to eight variants with attributes', () => {
    const varied = products.flatMap(({ variants = [] }) => (variants.length > 0 ? [variants] : []));
    const attributes = varied.flat().map((variant) => Object.values(variant.attributes ?? {}));

    expect(varied.length / products.length).toBeGreaterThan(0.5);
    expect(varied.length / products.length).toBeLessThan(0.7);
    expect(varied.filter(({ length }) => length < 2 || length > 8)).toEqual([]);
    expect(attributes.filter((values) => values.length === 0 || values.includes(''))).toEqual([]);
  });

  it('has products of every brand, including the inactive one', () => {
    const brands = new Set(products.map(({ brand }) => brand));

    expect(linesOf('brand').filter(({ slug }) => !brands.has(slug))).toEqual([]);
  });

  it('has featured, draft and archived products', () => {
    expect(distinct(products.map(({ status }) => String(status)))).toEqual(['ACTIVE', 'ARCHIVED', 'DRAFT']);
    expect(products.some(({ featured }) => featured)).toBe(true);
  });

  it('has products in stock, sold out, never stocked, and in the closed warehouse only', () => {
    const stock = linesOf('stock');
    const places = (product: ProductLine) => stock.filter((line) => line.product === product.slug);
    const situations = products.map((product) => {
      const stocked = places(product).filter(({ quantity }) => quantity > 0);
      if (places(product).length === 0) return 'never stocked';
      if (stocked.length === 0) return 'sold out';
      return stocked.every(({ bin }) => bin.startsWith('OLDMILL/')) ? 'closed warehouse' : 'in stock';
    });

    expect(distinct(situations)).toEqual(['closed warehouse', 'in stock', 'never stocked', 'sold out']);
    expect(situations.filter((situation) => situation === 'in stock').length).toBeGreaterThan(240);
    expect(stock.some(({ variant }) => variant)).toBe(true);
    expect(stock.some(({ product, variant }) => !variant && product)).toBe(true);
  });
});

describe('demo orders', () => {
  const orders = linesOf('order');
  const subtotal = ({ line_items }: OrderRecordLine) =>
    (line_items ?? []).reduce((sum, { unit_price, quantity }) => sum + unit_price * quantity, 0);

  it('has totals that equal the sum of the lines, and on the website nothing else to pay', () => {
    expect(orders.filter((order) => order.amount !== subtotal(order))).toEqual([]);
    expect(
      orders.filter(({ source, amount, total_amount }) => source === 'WEBSITE' && amount !== total_amount),
    ).toEqual([]);
    expect(orders.some(({ amount, total_amount }) => total_amount > amount)).toBe(true);
    expect(orders.some(({ amount, total_amount }) => total_amount < amount)).toBe(true);
  });

  it('has one to five lines at the prices of the catalog', () => {
    const catalog = new Map<string | undefined, string>();
    for (const { sku, price, variants = [] } of linesOf('product')) {
      catalog.set(sku, price);
      for (const variant of variants) catalog.set(variant.sku, variant.price ?? price);
    }
    const items = orders.flatMap(({ line_items = [] }) => line_items);

    expect(distinct(orders.map(({ line_items = [] }) => String(line_items.length)))).toEqual(['1', '2', '3', '4', '5']);
    expect(items.filter(({ sku, unit_price }) => catalog.get(sku)?.replace('.', '') !== String(unit_price))).toEqual(
      [],
    );
  });

  it.each(weekdays)('shows every status of the contract and no other, on any weekday (%s)', (now) => {
    const generated = linesOf('order', [...demoStore({ now })]);

    expect(distinct(generated.map(({ status }) => status))).toEqual(PAYMENT_STATUSES);
    expect(distinct(generated.map(({ fulfillment_status }) => fulfillment_status))).toEqual(FULFILLMENT_STATUSES);
  });

  it('refunds only returned or unsent orders, and delivers nothing after a failed payment', () => {
    const pairs = distinct(orders.map(({ status, fulfillment_status }) => `${status} ${fulfillment_status}`));

    expect(pairs.filter((pair) => pair.startsWith('REFUNDED'))).toEqual(['REFUNDED CANCELLED', 'REFUNDED RETURNED']);
    expect(pairs).not.toContain('FAILED DELIVERED');
    expect(pairs).not.toContain('CANCELLED DELIVERED');
    expect(pairs).not.toContain('SUCCEEDED CANCELLED');
  });

  it('places orders within the last 180 days, oldest first, with the same date in the receipt number', () => {
    const times = orders.map(({ created_at }) => Date.parse(created_at));
    const receipt = /^(POS|WEB)-(\d{6})-[0-9A-HJKMNP-TV-Z]{6}$/;
    const dateOf = (order: OrderRecordLine) => order.created_at.slice(2, 10).replaceAll('-', '');

    expect(Math.min(...times)).toBeGreaterThanOrEqual(NOW.getTime() - 180 * DAY_MS);
    expect(Math.max(...times)).toBeLessThanOrEqual(NOW.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(orders.filter((order) => receipt.exec(order.receipt_number)?.[2] !== dateOf(order))).toEqual([]);
  });

  it('is busier at weekends', () => {
    const weekend = orders.filter(({ created_at }) => [0, 6].includes(new Date(created_at).getUTCDay()));

    // Two of seven equal days would be 29 %.
    expect(weekend.length / orders.length).toBeGreaterThan(0.36);
  });
});

describe('demo customers', () => {
  const customers = linesOf('customer');

  it('gives each account the sum of its paid orders, and a start before the first of them', () => {
    const spent = new Map<string, number>();
    const first = new Map<string, string>();
    for (const { customer_email = '', status, total_amount, created_at } of linesOf('order')) {
      if (status === 'SUCCEEDED') spent.set(customer_email, (spent.get(customer_email) ?? 0) + total_amount);
      if (!first.has(customer_email)) first.set(customer_email, created_at);
    }

    expect(customers.filter(({ email = '', total_spent }) => total_spent !== (spent.get(email) ?? 0))).toEqual([]);
    expect(customers.filter(({ email = '', created_at = '' }) => created_at >= (first.get(email) ?? '9'))).toEqual([]);
  });

  it('has regular customers, and accounts that never ordered', () => {
    const counts = new Map<string | undefined, number>();
    for (const { customer_email } of linesOf('order')) {
      counts.set(customer_email, (counts.get(customer_email) ?? 0) + 1);
    }
    const perCustomer = customers.map(({ email }) => counts.get(email) ?? 0);

    expect(Math.max(...perCustomer)).toBeGreaterThan(20);
    expect(perCustomer.filter((count) => count === 0).length).toBeGreaterThanOrEqual(40);
  });

  it('has no deliverable e-mail, no real phone number and no real secret', () => {
    expect(customers.filter(({ email = '' }) => !/^[a-z]+\.[a-z]+@example\.(com|org)$/.test(email))).toEqual([]);
    expect(customers.filter(({ phone }) => phone !== '' && !/^\+1-\d{3}-555-01\d{2}$/.test(String(phone)))).toEqual([]);
    expect(customers.filter(({ national_id = '000-' }) => !national_id.startsWith('000-'))).toEqual([]);
    expect(customers.some(({ password_hash }) => password_hash)).toBe(true);
    expect(customers.some(({ verification_token }) => verification_token)).toBe(true);
    expect(customers.some(({ national_id }) => national_id)).toBe(true);
  });
});
