import { once } from 'node:events';
import fs from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { StoreFixture } from '../builders/store-fixture.js';
import { startBuiltApi, type BuiltApi } from '../support/built-api.js';
import { eventually } from '../support/eventually.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

describe('the built API process with a trace collector', () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-commerce-tracing-'));
  let database: TestDatabase;
  let store: StoreFixture;
  let receiver: OtlpReceiver;
  let api: BuiltApi;
  let base: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = await StoreFixture.create(database);
    receiver = await startOtlpReceiver();
    api = startBuiltApi({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PIPELINE: 'inline',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_SERVICE_NAME: 'shop',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    base = (await api.says(/Listening at (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? '';
  });
  afterAll(async () => {
    api.process.kill('SIGKILL');
    await api.ended();
    await receiver.close();
    await database.drop();
    fs.rmSync(dataDir, { recursive: true });
  });

  const headersOf = (trace: string) => ({
    authorization: `Bearer ${store.key}`,
    'content-type': 'application/json',
    traceparent: `00-${trace}-${CALLER}-01`,
    tracestate: 'vendor=canary',
    baggage: 'user=canary',
  });
  const ask = (url: string, trace: string) => fetch(`${base}${url}`, { headers: headersOf(trace) });
  const spansOf = (trace: string) => receiver.spans.filter(({ traceId }) => traceId === trace);
  /** Sends the body after the headers, when the key was looked up and the service waits for the body. */
  const postSlowly = async (url: string, body: unknown, trace: string): Promise<unknown> => {
    const request = http.request(`${base}${url}`, { method: 'POST', headers: headersOf(trace) });
    const response = once(request, 'response') as Promise<[IncomingMessage]>;
    request.flushHeaders();
    await eventually(() => expect(spansOf(trace).map(({ name }) => name)).toContain('keys.look_up'));
    request.end(JSON.stringify(body));
    return json((await response)[0]);
  };

  it("adds an order and its statements to the caller's trace", async () => {
    const product = await store.product({ name: 'Mug', price: 1099, stock: 5 });
    const body = {
      items: [{ product_id: product, quantity: 1 }],
      customer: { name: 'Canary', email: 'canary@example.com', phone: '+1 555 0199' },
      notes: 'canary',
    };
    const { data } = (await postSlowly('/v1/orders?canary=1', body, TRACE)) as { data: { order_id: string } };

    await eventually(() => expect(spansOf(TRACE).map(({ name }) => name)).toContain('POST /v1/orders'));
    const request = spansOf(TRACE).find(({ name }) => name === 'POST /v1/orders');
    expect(request).toMatchObject({
      service: 'shop',
      parentId: CALLER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/orders',
        'http.response.status_code': '201',
        'store.id': String(store.id),
        'order.id': data.order_id,
      },
    });
    const statements = spansOf(TRACE).filter((span) => span !== request);
    expect(statements.map(({ parentId }) => parentId)).toEqual(statements.map(() => request?.spanId));
    // The look-up of the key runs before the body is read, the other statements after it.
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['keys.look_up', 'orders.insert', 'stock.withdraw', 'COMMIT']),
    );
    const insert = statements.find(({ name }) => name === 'orders.insert');
    expect(insert?.attributes).toMatchObject({
      'db.query.summary': 'orders.insert',
      'db.operation.name': 'WITH',
      'db.query.text': expect.stringContaining('INSERT INTO orders') as string,
    });

    const stages = () => receiver.spans.filter(({ attributes }) => attributes['order.id'] === data.order_id);
    await eventually(() => {
      expect(stages().map(({ name }) => name)).toEqual(
        expect.arrayContaining(['stage notify-customer', 'stage notify-merchant']),
      );
    });
    expect(receiver.text()).not.toMatch(/canary|555 0199/i);
    expect(receiver.text()).not.toContain(store.key);
  });

  it('exports the statements of TypeORM, and no spans of probes', async () => {
    const trace = TRACE.replace('0af', '1af');
    await ask('/health', trace);
    await ask('/v1/categories', trace);

    await eventually(() => {
      const texts = spansOf(trace).map(({ name, attributes }) => attributes['db.query.text'] ?? name);
      expect(texts.filter((text) => text.includes('"categories"'))).not.toEqual([]);
      expect(texts).toContain('GET /v1/categories');
    });
    expect(spansOf(trace).map(({ name }) => name)).not.toContain('GET /health');
  });

  it('exports the remaining spans when it stops', async () => {
    const trace = TRACE.replace('0af', '2af');
    await ask('/v1/store', trace);
    api.process.kill('SIGTERM');

    expect(await api.ended()).toBe(0);
    expect(spansOf(trace).map(({ name }) => name)).toContain('GET /v1/store');
    // The log is complete too.
    expect(api.output()).toMatch(/"route":"\/v1\/store"[\s\S]*Shutting down/);
  });
});
