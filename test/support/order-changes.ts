import type { LightMyRequestResponse } from 'fastify';
import { OrdersClient } from './orders-client.js';
import { startApi, type RunningApi } from './start-api.js';

export interface Order {
  readonly id: string;
  readonly status: string;
  readonly fulfillment_status: string;
  readonly amount_owed: number;
  readonly amount_paid: number;
  readonly refund_due: number;
  readonly line_items: readonly { readonly shipped_quantity: number; readonly allocations: readonly object[] }[];
}

interface HistoryEvent {
  readonly at: string;
  readonly event: string;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly reference: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Shop {
  readonly api: RunningApi;
  readonly mug: number;
  readonly tee: number;
}

export async function startShop(): Promise<Shop> {
  const api = await startApi();
  const mug = await api.store.product({ price: 1000, stock: [600, 400] });
  const tee = await api.store.product({ price: 500, stock: 1000 });
  return { api, mug, tee };
}

export function orderChanges(shop: () => Shop) {
  const orders = new OrdersClient(() => shop().api);

  /** Places an order over 35.00 USD: three units of line 1 and one of line 2. Returns its id. */
  async function place(headers?: Record<string, string>): Promise<string> {
    const items = [
      { product_id: shop().mug, quantity: 3 },
      { product_id: shop().tee, quantity: 1 },
    ];
    return (await orders.create({ items, customer: { name: 'Ada' } }, headers)).order_id;
  }

  const post = (id: string, path: string, body: object = {}, headers?: Record<string, string>) =>
    shop().api.post(`/v1/orders/${id}/${path}`, body, headers);
  const patch = (id: string, reference: string, payload: object, headers?: Record<string, string>) =>
    shop().api.patch(`/v1/orders/${id}/shipments/${reference}`, payload, headers);
  const history = async (id: string, query = '') =>
    (await shop().api.get(`/v1/orders/${id}/history${query}`)).json<{
      data: HistoryEvent[];
      pagination: { total: number };
    }>();
  const eventsOf = async (id: string) => (await history(id)).data.map(({ event }) => event);

  return { orders, place, post, patch, history, eventsOf };
}

export async function outcome(response: Promise<LightMyRequestResponse>) {
  const { statusCode, headers } = await response;
  return [statusCode, headers['x-error-code']];
}

export const withKey = (key: string) => ({ 'idempotency-key': key });

export const SHIP = { reference: 'S-1', items: [{ line: 1, quantity: 2 }], carrier: 'DHL', notify: false };
export const PAY = { reference: 'pi_1', amount: 3500, currency: 'USD' };
export const REFUND = { reference: 're_1', amount: 1000, notify: false };
export const CONFIRM = { field: 'fulfillment_status', expected: 'PENDING', to: 'CONFIRMED' };
