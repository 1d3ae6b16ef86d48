import type { LightMyRequestResponse } from 'fastify';
import { anOrderBody } from '../builders/order-body.js';
import type { Session } from '../builders/store-fixture.js';
import { ROWS, type Row } from '../proof/isolation/rows.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await startApi({ THROTTLE_PER_10S: '0' });
});
afterAll(() => api.stop());

const sql = <Row>(text: string, ...values: unknown[]) => api.database.query<Row>(text, values);

/** Routes with a UUID in the path. Other routes have numbers, or slugs, whose letter case counts. */
const ROUTES = Object.entries(ROWS).filter(([route]) => route.includes('/:id') && !route.includes('/:idOrSlug'));

interface Scene {
  readonly client: RunningApi;
  readonly owner: Session;
}

/** Returns a scene in a new store. */
async function aScene(): Promise<Scene> {
  const client = await api.withStore();
  return { client, owner: await client.store.session('owner') };
}

async function placed({ client }: Scene): Promise<string> {
  const { order_id: id } = await client.place(anOrderBody(await client.store.product({ stock: 10 }), 2));
  await client.post(`/v1/orders/${id}/shipments`, { reference: 'S-0', items: [{ line: 1, quantity: 1 }] });
  return id;
}

async function newKey({ client: { store } }: Scene): Promise<string> {
  await store.createKey('live', 'read');
  const [key] = await sql<{ id: string }>(`SELECT id FROM api_keys WHERE store_id = $1 AND scope = 'read'`, store.id);
  return key?.id ?? '';
}

async function newWebhook({ client }: Scene): Promise<string> {
  const created = await client.post('/v1/webhooks', { url: 'https://erp.example.com/hooks' });
  return created.json<{ data: { id: string } }>().data.id;
}

/** Creates resources by the second part of the path. */
const RESOURCES: Readonly<Record<string, (scene: Scene) => Promise<string>>> = {
  orders: placed,
  keys: newKey,
  webhooks: newWebhook,
  customers: ({ client }) => client.store.customer({ email: 'ada@example.com' }),
  people: async ({ client }) => (await client.store.session('owner')).id,
};

const kindOf = (route: string) => route.split('/')[2] ?? '';

async function resourceOf(scene: Scene, kind: string) {
  const id = (await RESOURCES[kind]?.(scene)) ?? '';
  const [session] =
    kind === 'people' ? await sql<{ id: string }>('SELECT id FROM api_keys WHERE person_id = $1', id) : [];
  return { id, sessionId: session?.id ?? '' };
}

type Resource = Awaited<ReturnType<typeof resourceOf>>;

function send({ client, owner }: Scene, route: string, row: Row, { id, sessionId }: Resource) {
  const [method = '', path = ''] = route.split(' ');
  const url = path.replace(':session_id', sessionId).replace(':id', id).replace(':reference', 'S-0');
  const payload = method === 'GET' || method === 'DELETE' ? undefined : (('body' in row ? row.body : undefined) ?? {});
  return client.inject({
    method: method,
    url,
    headers: { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${owner.secret}` },
    ...(payload && { payload }),
  });
}

const namesIn = ({ statusCode, headers, body }: LightMyRequestResponse) => {
  const { data } = JSON.parse(body) as { data?: object };
  return [statusCode, headers['x-error-code'], Object.keys(data ?? {})];
};

const spelled = ({ id, sessionId }: Resource, spell: (id: string) => string): Resource => ({
  id: spell(id),
  sessionId: spell(sessionId),
});

describe('an id in capitals', () => {
  it.each(ROUTES)('is the id of the same resource: %s', async (route, row) => {
    const [one, other] = [await aScene(), await aScene()];
    const [lower, upper] = [await resourceOf(one, kindOf(route)), await resourceOf(other, kindOf(route))];

    const answer = await send(one, route, row, lower);
    const same = await send(
      other,
      route,
      row,
      spelled(upper, (id) => id.toUpperCase()),
    );

    expect([200, 201, 422]).toContain(answer.statusCode);
    expect(namesIn(same)).toEqual(namesIn(answer));
  });

  it.each([
    ['in braces', (id: string) => `%7B${id}%7D`],
    ['without hyphens', (id: string) => id.replaceAll('-', '')],
  ])('and %s is the id of nothing', async (_how, spell) => {
    const scene = await aScene();
    for (const kind of Object.keys(RESOURCES)) {
      const resource = spelled(await resourceOf(scene, kind), spell);
      for (const [route, row] of ROUTES.filter(([each]) => kindOf(each) === kind)) {
        const { statusCode, headers } = await send(scene, route, row, resource);
        expect([route, statusCode, headers['x-error-code']]).toEqual([route, 404, 'not_found']);
      }
    }
  });

  it('finds the rows of a list by each filter with ids', async () => {
    const client = await api.withStore();
    const customer = await client.store.customer({ email: 'grace@example.com' });
    const order = await client.store.order({ customer_id: customer });
    const idsOf = async (url: string) =>
      (await client.get(url)).json<{ data: { id: string }[] }>().data.map(({ id }) => id);

    expect(await idsOf(`/v1/orders?ids=${order.toUpperCase()}`)).toEqual([order]);
    expect(await idsOf(`/v1/orders?customer_id=${customer.toUpperCase()}`)).toEqual([order]);
    expect(await idsOf(`/v1/customers?ids=${customer.toUpperCase()}`)).toEqual([customer]);
  });

  it('is the same request to an Idempotency-Key', async () => {
    const scene = await aScene();
    const id = await placed(scene);
    const key = { 'idempotency-key': 'note-1' };
    const note = (order: string) => scene.client.post(`/v1/orders/${order}/notes`, { text: 'Ring twice' }, key);

    const first = await note(id);
    const repeated = await note(id.toUpperCase());

    expect([first.statusCode, repeated.statusCode]).toEqual([201, 201]);
    expect(repeated.headers['idempotent-replayed']).toBe('true');
  });
});
