import type { BundleLine } from '@app/bundles';

/** A small store: a product with two variants, stock of one of them in a bin, a customer and an order. */
export function aStoreBundle(store: string): BundleLine[] {
  const settings = { methods: [{ methodId: 'paylark', enabled: true, credentials: { secret_key: 'top-secret' } }] };
  const price = '82.00';
  return [
    { kind: 'store', subdomain: store, name: 'Acme', currency: 'USD', payment_settings: settings },
    { kind: 'warehouse', store, code: 'MAIN', name: 'Main' },
    { kind: 'bin', store, warehouse: 'MAIN', code: 'A-1' },
    { kind: 'brand', store, slug: 'globex', name: 'Globex' },
    { kind: 'category', store, slug: 'clothing', name: 'Clothing' },
    { kind: 'category', store, slug: 'shoes', name: 'Shoes', parent: 'clothing' },
    {
      ...{ kind: 'product', store, slug: 'runner', name: 'Runner', price: '79.90', brand: 'globex' },
      categories: ['shoes', 'clothing'],
      variants: [
        { sku: 'R-42', name: '42', price, attributes: { Size: '42' } },
        { sku: 'R-43', name: '43', price },
      ],
    },
    { kind: 'stock', store, bin: 'MAIN/A-1', product: 'runner', variant: 'R-42', quantity: 7 },
    { kind: 'customer', store, name: 'Ada', email: 'Ada@Example.com', national_id: 'NID-42', password_hash: 'hash' },
    {
      ...{ kind: 'order', store, receipt_number: 'POS-1', source: 'POS', payment_method: 'CASH', currency: 'USD' },
      ...{ status: 'SUCCEEDED', fulfillment_status: 'DELIVERED', amount: 16_400, total_amount: 17_000 },
      ...{ customer_email: 'ADA@example.com', created_at: '2026-01-02T03:04:05.000Z' },
      line_items: [
        { product: 'runner', variant: 'R-42', name: 'Runner', unit_price: 8_200, quantity: 2 },
        { product: null, name: 'Gift wrap', unit_price: 0, quantity: 1 },
      ],
    },
  ];
}
