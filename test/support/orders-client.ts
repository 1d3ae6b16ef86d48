import type { LightMyRequestResponse } from 'fastify';
import type { CreatedOrder, RunningApi } from './start-api.js';

type Headers = Record<string, string>;

export class OrdersClient {
  constructor(private readonly api: () => RunningApi) {}

  place(body: unknown, headers?: Headers): Promise<LightMyRequestResponse> {
    return this.api().post('/v1/orders', body, headers);
  }

  create(body: unknown, headers?: Headers): Promise<CreatedOrder> {
    return this.api().place(body, headers);
  }

  async refusal(body: unknown, headers?: Headers): Promise<[status: number, error: string]> {
    const response = await this.place(body, headers);
    return [response.statusCode, response.json<{ error: string }>().error];
  }

  async read<Order = Record<string, unknown>>(id: string, headers?: Headers): Promise<Order> {
    const response = await this.api().get(`/v1/orders/${id}`, headers);
    expect(response.statusCode).toBe(200);
    return response.json<{ data: Order }>().data;
  }
}
