import { readFileSync } from 'node:fs';
import path from 'node:path';
import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

const GUIDE = readFileSync(path.resolve(import.meta.dirname, '../../docs/api/payments.md'), 'utf8');
const [, TABLE = ''] = GUIDE.split('| what happens | credited |');
/** The rows of the table in docs/api/payments.md: what happens, six amounts and the status. */
const CASES = TABLE.split('\n\n')[0]!
  .split('\n')
  .slice(2)
  .map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const UNIT = [{ line: 1, quantity: 1 }];
const PAID = ['payments', { reference: 'pi_1', amount: 3000, currency: 'USD' }] as const;
const FEE = ['cancel', { fee: 500 }] as const;
const SHIPPED = ['shipments', { reference: 'S-1' }] as const;
const refund = (values: object) => ['refunds', { reference: 're_1', ...values }] as const;

/** The requests that make each case, after the order is placed. */
const REQUESTS: Readonly<Record<string, readonly (readonly [string, object])[]>> = {
  placed: [],
  paid: [PAID],
  'paid twice': [PAID, ['payments', { ...PAID[1], reference: 'pi_2' }]],
  'paid twice, once paid back': [PAID, ['payments', { ...PAID[1], reference: 'pi_2' }], refund({ amount: 3000 })],
  '2900 paid, which settles': [['payments', { ...PAID[1], amount: 2900, settles: true }]],
  'paid, one unit given up': [PAID, ['cancel', { items: UNIT }]],
  'paid and shipped, one unit back and paid back': [
    ...[PAID, SHIPPED],
    refund({ amount: 1000, lines: UNIT, restock: true }),
  ],
  'shipped unpaid, one unit back': [SHIPPED, refund({ amount: 0, lines: UNIT, restock: true })],
  'shipped unpaid, all units back': [SHIPPED, refund({ amount: 0, restock: true })],
  'paid and shipped, 500 of goodwill': [PAID, SHIPPED, refund({ amount: 500 })],
  'paid and shipped, charged back': [PAID, SHIPPED, refund({ amount: 3000, reason: 'chargeback' })],
  'paid and cancelled': [PAID, ['cancel', {}]],
  'paid, cancelled, paid back': [PAID, ['cancel', {}], refund({ amount: 3000 })],
  'cancelled for a fee of 500': [FEE],
  'cancelled for a fee of 500, the fee paid': [FEE, ['payments', { ...PAID[1], amount: 500 }]],
  'cancelled for a fee of 500, which is waived': [FEE, refund({ amount: 0, reason: 'goodwill', credited: 500 })],
  'paid, cancelled for a fee of 500': [PAID, FEE],
  'paid, cancelled for a fee of 500, the rest paid back': [PAID, FEE, refund({ amount: 2500 })],
};

interface Order {
  readonly status: string;
  readonly amount_credited: number;
  readonly amount_owed: number;
  readonly amount_paid: number;
  readonly amount_refunded: number;
  readonly amount_open: number;
  readonly refund_due: number;
}

describe('the amounts of an order in docs/api/payments.md', () => {
  let api: RunningApi;
  let product: number;
  beforeAll(async () => {
    api = await startApi({ THROTTLE_PER_10S: '0' });
    product = await api.store.product({ stock: 100, price: 1000 });
  });
  afterAll(() => api.stop());

  it('has a request for each case', () => {
    expect(CASES.map(([what]) => what)).toEqual(Object.keys(REQUESTS));
  });

  it.each(CASES)('are those of an order that is %s', async (what, ...expected) => {
    const items = [{ product_id: product, quantity: 3 }];
    const customer = { name: 'Ada', email: `ada-${CASES.findIndex(([each]) => each === what)}@example.com` };
    const { order_id: id } = await api.place({ ...anOrderBody(product), items, customer });
    for (const [route, body] of REQUESTS[what ?? ''] ?? []) {
      const response = await api.post(`/v1/orders/${id}/${route}`, body);
      expect([route, response.statusCode, response.json<{ error?: string }>().error]).toEqual([
        ...[route, route === 'cancel' ? 200 : 201, undefined],
      ]);
    }

    const { data } = (await api.get(`/v1/orders/${id}`)).json<{ data: Order }>();

    const { amount_credited, amount_owed, amount_paid, amount_refunded, amount_open, refund_due, status } = data;
    const told = [amount_credited, amount_owed, amount_paid, amount_refunded, amount_open, refund_due, status];
    expect(told.map(String)).toEqual(expected);
    const isListed =
      (await api.get(`/v1/orders?refund_due=true&ids=${id}`)).json<{ data: object[] }>().data.length === 1;
    expect(isListed).toBe(refund_due > 0);
  });
});
