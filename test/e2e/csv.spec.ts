import { parse } from 'csv-parse/sync';
import { anOrderBody } from '../builders/order-body.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
beforeAll(async () => (api = await startApi()));
afterAll(() => api.stop());

describe('CSV', () => {
  it('writes orders', async () => {
    const mug = await api.store.product({ stock: 100 });
    await api.place(anOrderBody(mug, 2));
    const response = await api.get('/v1/orders?format=csv&rows=lines');
    console.log(response.statusCode, response.headers, response.body);
    for (const url of ['/v1/journal', '/v1/statistics/orders', '/v1/prices', '/v1/stock', '/v1/stock/movements', '/v1/skus?customer_id=x&include=updated_at']) {
      const other = await api.get(url, { accept: 'text/csv' });
      console.log(url, other.statusCode, other.body.slice(0, 600));
      parse(other.body, { bom: true, columns: true });
    }
  });
});
