import type { Trial } from './trials.js';
import type { Reference, TwoStores } from './two-stores.js';

type Body = Readonly<Record<string, unknown>>;

/** The route that places an order and takes an Idempotency-Key. A preview returns 200 to every good body. */
const KEYED = '/v1/orders';
const FIELDS_THAT_ARE_IGNORED = ['store_id', 'store', 'order_id', 'id', 'receipt_number'];

/** @param isThorough also tries fields that an order does not have. */
export function orderTrials(path: string, { references, product }: TwoStores, isThorough: boolean): Trial[] {
  const refused = (what: string, reference: Reference, body: (value: string) => Body) =>
    order(path, what, reference, body, path === KEYED ? 400 : 200);
  const placed = (what: string, reference: Trial['reference'], body: (value: string) => Body) =>
    order(path, what, reference, body, path === KEYED ? 201 : 200);
  const all = [...references.values()];
  const numbers = all.filter(({ theirs }) => /^\d+$/.test(theirs));
  const mine = { product_id: product, quantity: 1 };
  return [
    ...numbers.flatMap((kind) => [
      refused(`product_id of ${kind.kind}`, kind, (id) => ({ items: [mine, { product_id: Number(id), quantity: 1 }] })),
      refused(`variant_id of ${kind.kind}`, kind, (id) => ({ items: [{ ...mine, variant_id: Number(id) }] })),
      refused(`a product and a variant of ${kind.kind}`, kind, (id) => {
        const item = { product_id: Number(id), variant_id: Number(references.get('variant')?.theirs), quantity: 1 };
        return { items: [item] };
      }),
    ]),
    ...all.map((kind) => refused(`sku of ${kind.kind}`, kind, (sku) => ({ items: [mine, { sku, quantity: 1 }] }))),
    ...['name', 'phone', 'address', 'city', 'zip'].map((part) =>
      placed(`customer.${part}`, name(references), (value) => ({
        items: [mine],
        customer: { name: 'Ada', [part]: value },
      })),
    ),
    placed('customer.email', email(references), (value) => ({
      items: [mine],
      customer: { name: 'Ada', email: value },
    })),
    // The block list of the other store contains it.
    placed('customer.phone', { theirs: '+1 555 0137', unknown: '+1 555 0138' }, (phone) => ({
      items: [mine],
      customer: { name: 'Ada', phone },
    })),
    // References are unique in a store: the other store's is free.
    placed('external_reference', references.get('external reference') ?? name(references), (external_reference) => ({
      items: [mine],
      external_reference,
    })),
    ...all
      .filter(({ theirs }) => /^[0-9a-f-]{36}$/.test(theirs))
      .map((kind) => {
        const body = (customer_id: string) => ({ items: [mine], customer_id });
        return order(path, `customer_id of ${kind.kind}`, kind, body, 422);
      }),
    placed('notes', name(references), (notes) => ({ items: [mine], notes })),
    ...(isThorough ? FIELDS_THAT_ARE_IGNORED : []).flatMap((field) =>
      all.map((kind) => placed(`${field} of ${kind.kind}`, kind, (value) => ({ items: [mine], [field]: value }))),
    ),
  ];
}

/**
 * The trial uses the key of the other store's order, and an unused one. It is a single trial, because it uses both keys
 * up.
 */
export function keyTrial({ product }: TwoStores, used: string): Trial {
  const body = { items: [{ product_id: product, quantity: 1 }], customer: { name: 'Ada' } };
  return {
    what: 'POST /v1/orders, Idempotency-Key of theirs',
    reference: { theirs: used, unknown: used.replace(/^./, 'x') },
    ask: (key) => ({ path: KEYED, body, key }),
    statuses: [201],
  };
}

function order(
  path: string,
  what: string,
  reference: Trial['reference'],
  body: (value: string) => Body,
  status: number,
): Trial {
  const ask = (value: string) => ({ path, body: { customer: { name: 'Ada' }, ...body(value) } });
  return { what: `POST ${path}, ${what}`, reference, ask, statuses: [status] };
}

function name(references: TwoStores['references']): Reference {
  return references.get('name') ?? { kind: 'name', theirs: '', unknown: '' };
}

function email(references: TwoStores['references']): Reference {
  return references.get('email') ?? { kind: 'email', theirs: '', unknown: '' };
}
