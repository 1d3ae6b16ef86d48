import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { findProduct, findStore, listProducts, listSkus } from './catalog.js';
import { countOrder, findOrder, listOrders, lookUpOrders } from './orders.js';
import { placeOrder, type OrderRequest } from './place-order.js';
import { storeOf } from './query.js';
import { receive, type ReceiptRequest } from './receive.js';

// This program is the baseline of the bench: the least code that can answer these requests, on its own bare schema.

interface ListQuery {
  readonly limit?: string;
  readonly page?: string;
  readonly search?: string;
}

const app = fastify();
const pageOf = ({ limit = '50', page = '1' }: ListQuery) => ({ limit: Number(limit), page: Number(page) });

app.get<{ Querystring: ListQuery }>('/v1/products', async ({ headers, query }) =>
  listProducts(await storeOf(headers.authorization), pageOf(query)),
);
app.get<{ Params: { id: string } }>('/v1/products/:id', async ({ headers, params }) =>
  findProduct(await storeOf(headers.authorization), params.id),
);
app.get<{ Querystring: ListQuery }>('/v1/skus', async ({ headers, query }) =>
  listSkus(await storeOf(headers.authorization), pageOf(query)),
);
app.get<{ Querystring: ListQuery }>('/v1/orders', async ({ headers, query }) => {
  const store = await storeOf(headers.authorization);
  const page = pageOf(query);
  return query.search === undefined ? listOrders(store, page) : lookUpOrders(store, query.search, page);
});
app.get<{ Params: { id: string } }>('/v1/orders/:id', async ({ headers, params }) =>
  findOrder(await storeOf(headers.authorization), params.id),
);
app.post<{ Body: OrderRequest }>('/v1/orders', async ({ headers, body }, reply) => {
  const store = await storeOf(headers.authorization);
  const placed = await placeOrder(store, body);
  countOrder(store);
  reply.code(201);
  return placed;
});
app.post<{ Body: ReceiptRequest }>('/v1/stock', async ({ headers, body }) =>
  receive(await storeOf(headers.authorization), body),
);
app.get('/v1/store', async ({ headers }) => findStore(await storeOf(headers.authorization)));

await app.listen({ host: '127.0.0.1', port: 0 });
process.once('disconnect', () => process.exit());
process.send?.(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
