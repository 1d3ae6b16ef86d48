import type { Session } from '../builders/store-fixture.js';
import { listen } from '../support/listen.js';
import { sendRaw } from '../support/raw-http.js';
import { startApi, type RunningApi } from '../support/start-api.js';

let application: RunningApi;
let port: number;
beforeAll(async () => {
  application = await startApi();
  port = await listen(application.app);
});
afterAll(() => application.stop());

const sql = <Row>(text: string, ...values: unknown[]) => application.database.query<Row>(text, values);
const cookieOf = ({ secret }: Session) => `Cookie: store-live=${secret}\r\nX-Dashboard: live`;

/** Sends the head and one byte of the body, and the rest when `meanwhile` is done, `holdMs` later. */
function hold(request: string, credential: string, body: object, meanwhile: () => Promise<unknown>, holdMs = 0) {
  const text = JSON.stringify(body);
  const head =
    `${request} HTTP/1.1\r\nHost: localhost\r\n${credential}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  // The request is admitted before access ends.
  const between = () =>
    pause(300)
      .then(meanwhile)
      .then(() => pause(holdMs));
  return sendRaw(port, [head + text.slice(0, 1), text.slice(1)], { between });
}

async function scene() {
  const { store } = await application.withStore();
  const [asker, other] = [await store.session('owner'), await store.session('owner')];
  return { store, asker, other };
}
const remove =
  ({ id }: Session) =>
  () =>
    sql('DELETE FROM people WHERE id = $1', id);
const emailsOf = (storeId: number) => sql('SELECT email FROM people WHERE store_id = $1 ORDER BY email', storeId);

describe('a request whose body is held back until its access has ended', () => {
  it('adds no owner for an owner who is removed', async () => {
    const { store, asker, other } = await scene();
    const body = { email: 'accomplice@evil.example', name: 'A', role: 'owner' };

    const answer = await hold('POST /v1/people', cookieOf(asker), body, remove(asker));

    expect([answer.status, await emailsOf(store.id)]).toEqual([401, [{ email: other.email }]]);
  });

  it('gives no role back to an owner who is demoted', async () => {
    const { store, asker, other } = await scene();
    const url = `/v1/people/${asker.id}`;
    const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${other.secret}` };
    const demote = () => application.inject({ method: 'PATCH', url, headers, payload: { role: 'viewer' } });

    const answer = await hold(`PATCH ${url}`, cookieOf(asker), { role: 'owner' }, demote);

    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'insufficient_scope']);
    expect(await sql('SELECT role FROM people WHERE store_id = $1 AND id = $2', store.id, asker.id)).toEqual([
      { role: 'viewer' },
    ]);
  });

  it('revokes no key for a developer who is removed', async () => {
    const { store } = await scene();
    const developer = await store.session('developer');
    const [key] = await sql<{ id: string }>(
      'SELECT id FROM api_keys WHERE store_id = $1 AND person_id IS NULL',
      store.id,
    );

    const answer = await hold(`POST /v1/keys/${key?.id}/revoke`, cookieOf(developer), {}, remove(developer));

    expect(answer.status).toBe(401);
    expect(await sql('SELECT status FROM api_keys WHERE id = $1', key?.id)).toEqual([{ status: 'ACTIVE' }]);
  });

  it('makes no webhook for a key that is deactivated, although that needs no fresh sign-in', async () => {
    const { store } = await scene();
    const deactivate = () => sql(`UPDATE api_keys SET status = 'DEACTIVATED' WHERE store_id = $1`, store.id);
    const credential = `Authorization: Bearer ${store.key}`;
    const body = { url: 'https://hooks.example/x' };

    const answer = await hold('POST /v1/webhooks', credential, body, deactivate, 1_100);

    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'api_key_inactive']);
    expect(await sql('SELECT FROM webhooks WHERE store_id = $1', store.id)).toEqual([]);
  });

  it('is done when the access stays', async () => {
    const { store } = await scene();
    const credential = `Authorization: Bearer ${store.key}`;

    const answer = await hold(
      'POST /v1/webhooks',
      credential,
      { url: 'https://93.184.216.34/x' },
      () => Promise.resolve(),
      1_100,
    );

    expect(answer.status).toBe(201);
  });
});

it('people are added by no request that is answered after the removal of its owner', async () => {
  for (let round = 0; round < 5; round++) {
    const { store, asker, other } = await scene();
    const ask = (session: Session, method: 'POST' | 'DELETE', path: string, payload?: object) =>
      application.inject({
        ...{ method, url: `/v1/people${path}` },
        headers: { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${session.secret}` },
        ...(payload && { payload }),
      });
    const add = (index: number) =>
      ask(asker, 'POST', '', { email: `a${index}@evil.example`, name: 'A', role: 'owner' });

    const adding = Array.from({ length: 30 }, (_, index) => add(index));
    expect((await ask(other, 'DELETE', `/${asker.id}`)).statusCode).toBe(200);
    const known = await emailsOf(store.id);
    await Promise.all(adding);

    expect(await emailsOf(store.id)).toEqual(known);
  }
});
