import type { LightMyRequestResponse } from 'fastify';
import type { CreatedOrder, RunningApi } from './start-api.js';

type Headers = Record<string, string>;

/** Places and reads orders, with the live key of the test's store unless a header replaces it. */
export class OrdersClient {
  constructor(private readonly api: () => RunningApi) {}

  place(body: unknown, headers?: Headers): Promise<LightMyRequestResponse> {
    return this.api().post('/v1/orders', body, headers);
  }

  create(body: unknown, headers?: Headers): Promise<CreatedOrder> {
    return this.api().place(body, headers);
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
