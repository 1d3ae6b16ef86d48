import type { LightMyRequestResponse } from 'fastify';
import type { RunningApi } from './start-api.js';

type Headers = Record<string, string>;

/** The data of a created order. Amounts are in units of the currency. */
export interface CreatedOrder {
  readonly order_id: string;
  readonly receipt_number: string;
  readonly subtotal: number;
  readonly total: number;
  readonly payment_method: string;
  readonly items: readonly { productId: string; name: string; quantity: number; price: number }[];
}

/** Places and reads orders, with the live key of the test's store unless a header replaces it. */
export class OrdersClient {
  constructor(private readonly api: () => RunningApi) {}

  place(body: unknown, headers?: Headers): Promise<LightMyRequestResponse> {
    return this.api().post('/v1/orders', body, headers);
  }

  /** Places an order. Fails the test when the order is not created. */
  async create(body: unknown, headers?: Headers): Promise<CreatedOrder> {
    const response = await this.place(body, headers);
    expect(response.statusCode).toBe(201);
    return response.json<{ data: CreatedOrder }>().data;
  }

  /** Places an order and returns the status and the `error` of the response. */
  async refusal(body: unknown, headers?: Headers): Promise<[status: number, error: string]> {
    const response = await this.place(body, headers);
    return [response.statusCode, response.json<{ error: string }>().error];
  }

  /** Reads an order. Fails the test when the order does not exist. */
  async read<Order = Record<string, unknown>>(id: string, headers?: Headers): Promise<Order> {
    const response = await this.api().get(`/v1/orders/${id}`, headers);
    expect(response.statusCode).toBe(200);
    return response.json<{ data: Order }>().data;
  }
}
