import { readFileSync } from 'node:fs';
import type { BundleLine } from '@app/bundles';
import { demoStore } from './demo-store.js';

const NOW = new Date('2027-03-02T15:30:00.000Z');
const DAY_MS = 86_400_000;

const lines = demoStore({ now: NOW });
const linesOf = <K extends BundleLine['kind']>(kind: K) =>
  lines.filter((line): line is Extract<BundleLine, { kind: K }> => line.kind === kind);
const orders = linesOf('order');
const customers = linesOf('customer');

interface ApiDocument {
  readonly paths: Record<
    string,
    { readonly get: { readonly parameters: { in: string; schema: { examples: string[] } }[] } }
  >;
}

describe('the demo store', () => {
  it('has the orders of the 180 days up to yesterday, with their dates in the receipt numbers', () => {
    const times = orders.map(({ created_at }) => Date.parse(created_at));
    const dates = orders.map(({ created_at }) => created_at.slice(2, 10).replaceAll('-', ''));

    expect(new Date(Math.max(...times)).toISOString()).toMatch(/^2027-03-01T/);
    expect(Math.min(...times)).toBeGreaterThan(NOW.getTime() - 180 * DAY_MS);
    expect(orders.map(({ receipt_number }) => receipt_number.split('-')[1])).toEqual(dates);
  });

  it('has customers that joined before their first order and have logged in since', () => {
    const first = new Map(orders.toReversed().map(({ customer_email, created_at }) => [customer_email, created_at]));

    expect(customers.filter(({ email, created_at = '' }) => created_at >= (first.get(email) ?? '9'))).toEqual([]);
    expect(customers.filter(({ last_login }) => (last_login ?? '') >= NOW.toISOString())).toEqual([]);
  });

  it('shows every status of the contract', () => {
    const distinct = (values: readonly string[]) => [...new Set(values)].sort();

    expect(distinct(orders.map(({ status }) => status))).toEqual([
      'CANCELLED',
      'FAILED',
      'PENDING',
      'REFUNDED',
      'SUCCEEDED',
    ]);
    expect(distinct(orders.map(({ fulfillment_status }) => fulfillment_status))).toEqual([
      'CANCELLED',
      'CONFIRMED',
      'DELIVERED',
      'PENDING',
      'PROCESSING',
      'RETURNED',
      'SHIPPED',
    ]);
  });

  it('has the order and the customer that the API document asks for', () => {
    const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ApiDocument;
    const exampleOf = (path: string) =>
      document.paths[path]?.get.parameters.find((parameter) => parameter.in === 'path')?.schema.examples[0];

    expect(orders.map(({ id }) => id)).toContain(exampleOf('/v1/orders/{id}'));
    expect(customers.map(({ id }) => id)).toContain(exampleOf('/v1/customers/{id}'));
  });

  it('has no deliverable e-mail, no real phone number and no real secret', () => {
    expect(customers.filter(({ email = '' }) => !/^[a-z]+\.[a-z]+@example\.(com|org)$/.test(email))).toEqual([]);
    expect(customers.filter(({ phone }) => phone !== '' && !/^\+1-\d{3}-555-01\d{2}$/.test(String(phone)))).toEqual([]);
    expect(customers.filter(({ national_id = '000-' }) => !national_id.startsWith('000-'))).toEqual([]);
  });
});
