import { createHash } from 'node:crypto';
import Fastify, { type FastifyRequest } from 'fastify';
import pg from 'pg';
import * as answers from './answers.js';
import { placeOrder, type OrderBody } from './place-order.js';
import * as sql from './statements.js';

// The limit that the service is measured against: Fastify and pg, with nothing in between. One key look-up a request, no
// validation, no logs, no metrics. As many connections as the service has.

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const server = Fastify();

async function rows<Row = answers.Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ name, text, values })).rows as Row[];
}

interface KeyRow {
  readonly store_id: number;
  readonly currency: string;
  readonly status: string;
  readonly valid: boolean;
}

async function storeOf({ headers }: FastifyRequest): Promise<{ id: number; currency: string }> {
  const key = (headers.authorization ?? '').slice('Bearer '.length);
  const [row] = await rows<KeyRow>('key', sql.KEY, [createHash('sha256').update(key).digest()]);
  if (row?.status !== 'ACTIVE' || !row.valid) throw new Error('Not a key');
  return { id: row.store_id, currency: row.currency };
}

interface ListQuery {
  readonly limit?: string;
  readonly page?: string;
  readonly search?: string;
}

server.get<{ Querystring: ListQuery }>('/v1/products', async (request) => {
  const { id } = await storeOf(request);
  const { limit, page } = paging(request.query);
  return answers.products(await rows('products', sql.PRODUCTS, [id, limit, (page - 1) * limit]), limit, page);
});

server.get<{ Params: { id: string } }>('/v1/products/:id', async (request) => {
  const { id } = await storeOf(request);
  const [row] = await rows<answers.ProductRow>('product', sql.PRODUCT, [id, Number(request.params.id)]);
  return row && { success: true, data: answers.product(row) };
});

server.get<{ Querystring: ListQuery }>('/v1/orders', async (request) => {
  const { id } = await storeOf(request);
  const { limit, page } = paging(request.query);
  const { search } = request.query;
  if (search === undefined) {
    return answers.orders(await rows('orders', sql.ORDERS, [id, limit, (page - 1) * limit]), limit, page);
  }
  // Without a name: the plan depends on the pattern.
  const found = await pool.query<answers.Row>(sql.SEARCH, [id, `%${search}%`, limit]);
  return answers.orders(found.rows, limit, page);
});

server.get<{ Params: { id: string } }>('/v1/orders/:id', async (request) => {
  const { id } = await storeOf(request);
  const [row] = await rows<answers.OrderRow>('order', sql.ORDER, [id, request.params.id]);
  return row && { success: true, data: answers.order(row) };
});

server.get('/v1/store', async (request) => {
  const { id } = await storeOf(request);
  const [row] = await rows<answers.StoreRow>('store', sql.STORE, [id]);
  return row && { success: true, data: answers.store(row) };
});

server.post<{ Body: OrderBody }>('/v1/orders', async (request, reply) => {
  const store = await storeOf(request);
  reply.code(201);
  return { success: true, data: await placeOrder(pool, store, request.body) };
});

function paging({ limit = '50', page = '1' }: ListQuery): { limit: number; page: number } {
  return { limit: Number(limit), page: Number(page) };
}

process.stdout.write(`Listening at ${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
