import type { Asker } from './asker.js';
import type { Canaries } from './canaries.js';

interface Reader {
  readonly key: string;
  /** The session of an owner, for people and keys. */
  readonly owner: string;
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

interface Target {
  readonly key: string;
  readonly productId: number;
}

/** Reads every route in the service's own OpenAPI document: a new route is read without a change here. */
export async function readEverything(asker: Asker, { key, owner, ids }: Reader): Promise<string[]> {
  const document = JSON.parse((await asker.ask('/openapi.json')).body) as { paths: Record<string, object> };
  const unread: string[] = [];
  for (const [path, methods] of Object.entries(document.paths).filter(([, each]) => 'get' in each)) {
    const resource = path.split('/')[2] ?? '';
    const values = path.includes('{') ? (ids[resource] ?? []) : [''];
    const answers = [];
    for (const value of values) {
      const asking = ['keys', 'people', 'settings', 'audit'].includes(resource) ? owner : key;
      answers.push(await asker.ask(path.replace(/\{\w+\}/, value), { key: asking, mayName: true }));
    }
    if (!answers.some(({ status }) => status === 200))
      unread.push(`GET ${path} (${Object.keys(methods).join()}) was not read`);
  }
  await asker.ask('/metrics');
  await asker.ask('/docs');
  await asker.ask('/docs/');
  return unread;
}

/** Requests with secrets in every place that a client controls; none of them may store one. */
export async function askHostilely(asker: Asker, canaries: Canaries, target: Target): Promise<void> {
  const { key, productId } = target;
  const sent = () => canaries.mint('sent');
  const forged = () => ['svc', 'live', sent()].join('_');
  const lists = ['orders', 'products', 'customers', 'categories', 'brands'];
  for (const list of lists) {
    await asker.ask(`/v1/${list}?search=${sent()}&status=${sent()}&category_id=${sent()}&page=${sent()}`, { key });
    await asker.ask(`/v1/${list}/${sent()}`, { key });
    await asker.ask(`/v1/${list}/${sent()}%00%ff'--`, { key });
    await asker.ask(`/v1/${list}`, { key: forged() });
  }
  const headers = {
    cookie: `session=${sent()}`,
    'x-api-key': sent(),
    'user-agent': sent(),
    referer: `https://user:${sent()}@example.com`,
    'x-forwarded-for': sent(),
    'x-request-id': `${sent()}@example.com`,
    prefer: `handling=${sent()}`,
  };
  await asker.ask('/v1/store', { key, headers });
  await asker.ask('/v1/store', { headers: { authorization: `Basic ${sent()}` } });
  await asker.ask(`/v1/${sent()}`, { key, headers });
  await asker.ask(`/${sent()}`, { method: 'DELETE', headers });
  for (const body of hostileBodies(sent, productId)) {
    await asker.ask('/v1/orders', { method: 'POST', key, headers: { 'idempotency-key': sent() }, body });
  }
  const order = { items: [{ product_id: 1, quantity: 1 }], customer: { name: sent() } };
  await asker.ask('/v1/orders', { method: 'POST', key, headers: { 'content-type': `text/${sent()}` }, body: order });
  await asker.ask('/v1/orders', {
    method: 'POST',
    key,
    headers: { 'idempotency-key': sent().repeat(30) },
    body: order,
  });
}

function hostileBodies(sent: () => string, productId: number): (string | object)[] {
  const customer = { name: sent() };
  const items = [{ product_id: 1, quantity: 1 }];
  return [
    sent(),
    `{"items": ${sent()}}`,
    `{"customer": {"name": "${sent()}"`,
    `{"__proto__": {"${sent()}": 1}, "items": "${sent()}"}`,
    { [sent()]: sent(), items: sent(), customer: sent() },
    { items: [{ product_id: sent(), quantity: sent() }, sent(), null], customer: { [sent()]: sent(), name: '' } },
    { items, customer: { ...customer, email: `${sent()}@`, phone: [sent()], address: { [sent()]: 1 } } },
    { items, customer, payment_method: sent(), notes: { text: sent() } },
    { items, customer, metadata: { [sent()]: [sent()] } },
    { items, customer: { ...customer, name: `\u0000${sent()}` }, notes: `\ud800${sent()}` },
    { items: [{ product_id: 2_147_483_647, variant_id: 7, quantity: 1, price: sent() }], customer },
    { items: [{ product_id: productId, quantity: 999 }], customer: { ...customer, email: `${sent()}@example.com` } },
    { items: [{ product_id: 1e300, quantity: 1, [sent()]: sent() }], customer },
    `[${'['.repeat(2_000)}"${sent()}"${']'.repeat(2_000)}]`,
  ];
}
