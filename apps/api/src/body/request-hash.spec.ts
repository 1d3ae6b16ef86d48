import type { FastifyRequest } from 'fastify';
import { CreateOrderRequest } from '../orders/create-order.request.js';
import { ChangeStockRequest } from '../stock/stock.request.js';
import { BodyPipe } from './body.pipe.js';
import { FlagField } from './fields.js';
import { declaredOf, requestHashOf } from './request-hash.js';

const item = { product_id: 70, quantity: 1 };
const customer = { name: 'Ada' };
const order = { items: [item], customer };

/** Computes the hash like the routes do: from the route, the id in its path, and the declared members of the body. */
async function hashOf(route: string, text: string, Body: new () => object, id?: string): Promise<string> {
  const [method, url] = route.split(' ');
  const body = JSON.parse(text) as object;
  const read = await new BodyPipe().transform(JSON.parse(text), { type: 'body', metatype: Body });
  const request = { method, routeOptions: { url }, params: id ? { id } : {}, body } as unknown as FastifyRequest;
  return requestHashOf(request, declaredOf(body, read)).toString('hex');
}
const ofOrder = (text: string, Body: new () => object = CreateOrderRequest) => hashOf('POST /v1/orders', text, Body);

describe('the hash of a request', () => {
  // Keys and references are stored with this hash. A different hash for one of these would make repeats across an
  // upgrade fail.
  it.each([
    ['a small order', order, '01037ceebb4f8d53278860d638ddf2859dafc45c4c84cd505bb4c7750eda5e06da'],
    [
      'an order by SKU',
      { ...order, items: [{ sku: 'R-1-42', quantity: 2 }] },
      '015ef807b62ca49afbe5c2941a4960f0986b8a3b82909126dbc35d5ad180f47940',
    ],
    [
      'an order with null members',
      { ...order, billing: null, notes: null },
      '01bf4a75132ec4d561ddd3d673ca695c5538e8c88c6e007ab3fdb71c9995442f29',
    ],
    [
      'an order with metadata',
      { ...order, metadata: { 'b"ü': '\u2028', a: '1', 10: 'x', 9: 'y' } },
      '019cd7f037196f4b73b87f34243e0f31b1cfeea66c0c9ae4a64fa03af0a37a9b03',
    ],
    [
      'an order with a fraction',
      { ...order, expected_total: 12.9 },
      '017e74d821284d73449f9f1a81ab14a16c091a6fbb3129ac0b5b371d0d335657dd',
    ],
    [
      'an order with a large number',
      { ...order, expected_total: 1e21 },
      '0132123d69d9aa2e1c5dacd4e6caba2020c3dff526da7e306da2fc63e15966c5a5',
    ],
    [
      'an order in another script',
      { ...order, customer: { name: 'Бьярне 😀', city: 'Århus' } },
      '011b943438fe57befbaa87ff2903dc2a1cbb332f045d54b2b107c283f31b66f6fc',
    ],
    [
      'an order without mail',
      { ...order, notify: false },
      '01e69e1861bb9abafd44d23ec84f11911ef17e621dcbaa083e1566ab9c76ae9812',
    ],
    [
      'an order with a reference',
      { ...order, external_reference: 'PO 7', currency: 'eur' },
      '0145e8dfe3aae8cc723923be69e4cd63ef15e8ff959ab30eafca378436a0741799',
    ],
    [
      'an order with text to escape',
      { ...order, notes: 'a\n"b"\\/\u0001' },
      '010414a953a8bf50911e6a2f8dc8d9c1df98507f7497fe716eed95c1d6010cc02e',
    ],
  ])('of %s stays the same in every release', async (_what, body, expected) => {
    expect(await ofOrder(JSON.stringify(body))).toBe(expected);
  });

  it('does not depend on the order of members, on spaces, or on the notation of numbers', async () => {
    const [one, other] = [
      '{"items":[{"product_id":70,"quantity":1}],"customer":{"name":"Ada","city":"Wien"},"expected_total":10.0}',
      '{ "expected_total": 1e1, "customer": {"city": "Wien", "name": "\\u0041da"}, "items": [{"quantity":1,"product_id":70.0}] }',
    ];

    expect(await ofOrder(other)).toBe(await ofOrder(one));
  });

  it('does not depend on members that the route ignores, at any depth', async () => {
    const junk = { total: 5, constructor: 1, colour: { deep: [1] } };
    const noisy = { ...junk, items: [{ ...junk, ...item }], customer: { ...junk, ...customer } };

    expect(await ofOrder(JSON.stringify(noisy))).toBe(await ofOrder(JSON.stringify(order)));
  });

  it.each<[string, object, object]>([
    ['a quantity', order, { ...order, items: [{ ...item, quantity: 2 }] }],
    ['the order of the lines', { ...order, items: [item, customer] }, { ...order, items: [customer, item] }],
    ['null for an absent member', order, { ...order, notes: null }],
  ])('depends on %s', (_what, one, other) => {
    const hash = (body: object) => requestHashOf({ routeOptions: {}, params: {}, body } as unknown as FastifyRequest);

    expect(hash(other)).not.toEqual(hash(one));
  });

  it('stays the same when the class of the body gets a field with a default', async () => {
    class LaterRequest extends CreateOrderRequest {
      @FlagField({ description: 'As a gift.', default: false })
      gift?: boolean | null;
    }
    const text = JSON.stringify(order);

    expect(await ofOrder(text, LaterRequest)).toBe(await ofOrder(text));
    expect(await ofOrder(JSON.stringify({ ...order, gift: true }), LaterRequest)).not.toBe(await ofOrder(text));
  });

  it('tells routes and the resources of their paths apart, in any letter case of an id', async () => {
    const text = '{"lines":[{"sku":"R-1-42","adjust":1}]}';
    const hash = (route: string, id?: string) => hashOf(route, text, ChangeStockRequest, id);

    const all = [
      await hash('POST /v1/stock'),
      await hash('POST /v1/orders/:id/x', 'a'),
      await hash('POST /v1/orders/:id/x', 'b'),
    ];

    expect(new Set(all).size).toBe(3);
    expect(await hash('POST /v1/orders/:id/x', 'A')).toBe(all[1]);
  });
});
