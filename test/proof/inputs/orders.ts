import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { dataOf, type Exchange } from '../support/history.js';
import {
  cannotBePlaced,
  costOf,
  isFor,
  isValidOrder,
  LONGEST_OF_ADDRESS,
  productOf,
  type ValidOrder,
} from './order-rules.js';
import { explore, type PricedProduct, type Scene } from './scene.js';
import { anyText } from './texts.js';

const NONSENSE: readonly unknown[] = [
  ...[null, true, '1', '', 'abc', 1.5, 0, -1, 1000, 2_147_483_648, 2 ** 53, 1e308, [], {}, [1]],
];
/** Written into the JSON verbatim: fields outside the contract, which must have no effect. */
const FORGED = [
  '"price":0.01,"unit_price":1,"line_total":1',
  '"total":0,"subtotal":0,"amount":1,"total_amount":1,"discount":100',
  '"store_id":999999,"is_test":true,"status":"SUCCEEDED","source":"POS"',
  '"__proto__":{"quantity":1,"items":[],"notes":"forged"}',
  '"constructor":{"prototype":{"quantity":1}}',
  '"toString":null,"hasOwnProperty":1',
];
const NUMERALS = ['1.0', '1e0', '10E-1', '1e400', '-1', '-0', '01', '+1', '0x1', '1_0', '.5', '1.', '١', '"1"', 'NaN'];

export async function exploreOrders(scene: Scene): Promise<void> {
  const orders = orderTexts(scene.catalog);
  await explore(scene, 'an order', orders, (text) => faultOfOrder(scene, Buffer.from(text)));
  await explore(scene, 'JSON for an order', fc.json({ maxDepth: 6 }), (text) => faultOfOrder(scene, Buffer.from(text)));
  await explore(scene, 'a damaged order', damaged(orders), (bytes) => faultOfOrder(scene, bytes));
  const first = scene.catalog[0]?.id;
  const items = [
    ...scene.products.map(({ id }) => `{"product_id":${id},"quantity":1}`),
    ...NUMERALS.map((numeral) => `{"product_id":${first},"quantity":${numeral}}`),
  ];
  for (const item of items) {
    const fault = await faultOfOrder(scene, Buffer.from(`{"items":[${item}],"customer":{"name":"Ada"}}`));
    if (fault !== null) scene.violations.push(`${item}: ${fault}`);
  }
}

function orderTexts(catalog: readonly PricedProduct[]): fc.Arbitrary<string> {
  const quantity = mostly(fc.integer({ min: 1, max: 999 }));
  const item = fc.constantFrom(...catalog).chain(({ id, sku, variants }) =>
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record(
          {
            product_id: mostly(fc.constant<unknown>(id)),
            variant_id: mostly(fc.constantFrom<unknown>(...variants.map((variant) => variant.id))),
            sku: mostly(fc.constantFrom<unknown>(null, '')),
            quantity,
            metadata: metadata(),
          },
          { requiredKeys: ['product_id', 'quantity'] },
        ),
      },
      {
        weight: 1,
        arbitrary: fc.record(
          {
            sku: mostly(fc.constantFrom<unknown>(sku, sku.toUpperCase())),
            product_id: mostly(fc.constant<unknown>(null)),
            variant_id: mostly(fc.constant<unknown>(null)),
            quantity,
            metadata: metadata(),
          },
          { requiredKeys: ['sku', 'quantity'] },
        ),
      },
    ),
  );
  const items = fc.oneof(
    { weight: 20, arbitrary: fc.array(forged(item), { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(forged(item), { minLength: 99, maxLength: 101 }) },
  );
  const texts = Object.entries(LONGEST_OF_ADDRESS).map(([field, longest]) => {
    return [field, mostly(anyText(longest))] as const;
  });
  const country = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom<unknown>(null, '', 'de', 'US') },
    { weight: 1, arbitrary: fc.constantFrom<unknown>('ZZ', 'Germany', 'ß', 7, ['de']) },
  );
  const address = { country, ...Object.fromEntries(texts) };
  const customer = fc.record(
    { name: mostly(anyText(200)), email: mostly(emails()), phone: mostly(anyText(40)), ...address },
    { requiredKeys: ['name'] },
  );
  const billing = fc.record({ name: mostly(anyText(200)), ...address }, { requiredKeys: [] });
  const payment = fc.oneof(
    { weight: 14, arbitrary: fc.constantFrom('COD', 'offline', 'Cod', 'OffLine', null) },
    { weight: 1, arbitrary: fc.constantFrom('CARD', 'stripe', 'COD ', 'o\ufb04ine', '') },
  );
  const dealer = catalog[0]?.listed?.customer ?? '';
  const order = fc.record(
    {
      customer_id: fc.oneof(
        { weight: 10, arbitrary: mostly(fc.constantFrom<unknown>(null, dealer, dealer.toUpperCase())) },
        { weight: 1, arbitrary: fc.constant(null).map(() => randomUUID()) },
      ),
      items: mostly(items.map((entries) => raw(`[${entries.join()}]`))),
      customer: mostly(forged(customer).map(raw)),
      billing: fc.oneof(
        { weight: 10, arbitrary: fc.constant(null) },
        { weight: 5, arbitrary: mostly(forged(billing).map(raw)) },
      ),
      payment_method: mostly(payment),
      notes: mostly(anyText(2000)),
      metadata: metadata(),
      external_reference: references(),
      currency: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom<unknown>(null, 'USD', 'usd') },
        { weight: 1, arbitrary: fc.constantFrom<unknown>('EUR', 'US', 'U$D', 'ſek', '', 7, {}) },
      ),
      expected_total: fc.oneof(
        { weight: 20, arbitrary: fc.constant(null) },
        { weight: 2, arbitrary: fc.constantFrom<unknown>(0, 10, 12.5, 1e300, -0.01, '10', true, {}) },
      ),
    },
    { requiredKeys: ['items', 'customer'] },
  );
  return forged(order);
}

/** Different for every order, also while fast-check shrinks one: its own ids repeat. */
function references(): fc.Arbitrary<unknown> {
  const unique = fc.constant(null).map(() => randomUUID());
  const text = fc.noShrink(anyText(40));
  const odd = fc.tuple(unique, text).map(([id, part]) => `${id.slice(0, 13)}${part}${id.slice(24)}`);
  return fc.oneof(
    { weight: 20, arbitrary: unique },
    { weight: 4, arbitrary: odd },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, '', ' ', 7, true, 'x'.repeat(65), {}, ['x']) },
  );
}

/** Nest removes the keys `__proto__`, `constructor` and `prototype` from every body, as docs/api/orders.md says. */
function metadata(): fc.Arbitrary<unknown> {
  const key = anyText(40).filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text));
  return mostly(fc.dictionary(key, mostly(anyText(500)), { maxKeys: 3 }));
}

function emails(): fc.Arbitrary<string> {
  const odd = [
    ...['a@b', 'A.B+c@Example.COM', 'a@b@c', '@b', 'a@', 'a b@c', 'ä@ö.example', '😀@x', `${'a'.repeat(252)}@b`],
    ...['<a@b>', 'a..b@c', 'a@b..c', 'a@b.', 'a;b@c', 'a@-b', 'mailto:a@b', '"a"@b', 'a@1.2', `${'ä'.repeat(127)}@b`],
    ...[
      `${'ä'.repeat(32)}@b`,
      `${'a'.repeat(65)}@b`,
      'a@نامه\u200cای.com',
      'a@ශ්\u200dරී.com',
      'a\u200c@b',
      'a@b\u200dc',
    ],
  ];
  return fc.oneof(
    { weight: 20, arbitrary: fc.oneof(fc.emailAddress(), fc.constant('')) },
    { weight: 2, arbitrary: fc.constantFrom(...odd) },
    { weight: 1, arbitrary: anyText(254) },
  );
}

/** Usually a valid value, and an invalid one in one of 30 cases. */
function mostly(good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 29, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...NONSENSE) });
}

function raw(json: string): { readonly raw: string } {
  return { raw: json };
}

function forged(object: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<string> {
  return fc.tuple(object, fc.option(fc.constantFrom(...FORGED), { freq: 3 })).map(([fields, forgery]) => {
    const members = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}:${jsonOf(value)}`);
    return `{${[...members, ...(forgery === null ? [] : [forgery])].join()}}`;
  });
}

function jsonOf(value: unknown): string {
  return value !== null && typeof value === 'object' && 'raw' in value ? String(value.raw) : JSON.stringify(value);
}

function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const wounds = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 2 })), {
    minLength: 1,
    maxLength: 3,
  });
  return fc.tuple(texts, wounds).map(([text, places]) => {
    const bytes = [...Buffer.from(text)];
    for (const [at, byte, kind] of places) {
      bytes.splice(at % bytes.length, kind === 0 ? 0 : 1, ...(kind === 2 ? [] : [byte]));
    }
    return Buffer.from(bytes);
  });
}

async function faultOfOrder(scene: Scene, bytes: Buffer): Promise<string | null> {
  const answer = await scene.send('POST', '/v1/orders', bytes);
  const order = meaningOf(bytes);
  const told = `answered ${answer.status ?? answer.error} ${answer.bytes.toString()}`;
  if (!isValidOrder(order, scene.products)) return answer.status === 400 ? null : `${told}, not 400`;
  if (cannotBePlaced(order, scene.products)) return answer.status === 422 ? null : `${told}, not 422`;
  if (answer.status !== 201) return `${told}, not 201`;
  const data = dataOf<{ order_id: string; total: number }>(answer);
  const cost = costOf(order, scene.catalog);
  if (Math.round(data.total * 100) !== cost) return `total ${data.total}, but the catalog says ${cost / 100}`;
  return faultOfRecord(order, scene.catalog, await scene.read(`/v1/orders/${data.order_id}`));
}

function meaningOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function placeOf(fields: Readonly<Record<string, unknown>>) {
  const texts = Object.keys(LONGEST_OF_ADDRESS).map((field) => [field, fields[field] ?? ''] as const);
  const country = ((fields['country'] as string | null | undefined) ?? '').toUpperCase();
  return { ...Object.fromEntries(texts), country };
}

/** The database sorts the keys. */
function sorted(metadata: ValidOrder['metadata']): object {
  return Object.fromEntries(Object.entries(metadata ?? {}).sort());
}

function lineOf({ product_id, variant_id = null, quantity, metadata }: ValidOrder['items'][number]) {
  return { product_id, variant_id, quantity, metadata: sorted(metadata) };
}

function faultOfRecord(order: ValidOrder, catalog: readonly PricedProduct[], answer: Exchange) {
  const cost = costOf(order, catalog);
  const { customer, billing, items, payment_method, notes, metadata, external_reference } = order;
  const { name, email, phone } = customer;
  const place = placeOf(customer);
  const billed = { name: billing?.['name'] ?? '', ...placeOf(billing ?? {}) };
  const isBilledApart = Object.values(billed).some((value) => value !== '');
  const expected: Record<string, unknown> = {
    // No customer of the scene has an e-mail that an order is sent with.
    customer: {
      id: catalog.find(({ listed }) => listed && isFor(listed.customer, order))?.listed?.customer ?? null,
      name,
      email: email ?? '',
      phone: phone ?? '',
    },
    shipping_address: place,
    billing_address: isBilledApart ? billed : { name: '', ...place },
    notes: notes ?? '',
    metadata: sorted(metadata),
    external_reference: external_reference ?? '',
    payment_method: (payment_method ?? 'COD').toUpperCase(),
    ...{ status: 'PENDING', fulfillment_status: 'PENDING', source: 'WEBSITE', currency: 'USD', is_test: false },
    ...{ amount: cost, total_amount: cost, customer_name: name },
    line_items: items.map((item) => lineOf({ ...item, product_id: productOf({ ...item }, catalog)?.id })),
  };
  const data = dataOf<Record<string, unknown>>(answer);
  const lines = data['line_items'] as ValidOrder['items'];
  const found: Record<string, unknown> = {
    ...data,
    metadata: sorted(data['metadata'] as ValidOrder['metadata']),
    line_items: lines.map(lineOf),
  };
  const changed = Object.keys(expected).filter((key) => JSON.stringify(found[key]) !== JSON.stringify(expected[key]));
  const told = changed.map((key) => `${key} ${JSON.stringify(found[key])}, sent ${JSON.stringify(expected[key])}`);
  return told.length === 0 ? null : `came back as ${told.join('; ')}`;
}
