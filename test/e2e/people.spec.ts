import { PeopleService, StoreRepository } from '@app/application';
import { ROLES } from '@app/domain';
import { Database } from '@app/infrastructure';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../apps/api/src/create-app.js';
import { InvitationMails } from '../../libs/infrastructure/src/mail/invitation-mails.js';
import { MailNotifier } from '../../libs/infrastructure/src/mail/mail-notifier.js';
import { anOrderBody } from '../builders/order-body.js';
import type { Session } from '../builders/store-fixture.js';
import { commandLine } from '../support/command-line.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startApi, type RunningApi } from '../support/start-api.js';
import { testConfig } from '../support/test-config.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

let application: RunningApi;
/** Another process with the same database. */
let second: NestFastifyApplication;
let api: RunningApi;
let owner: Session;
const lines: string[] = [];
beforeAll(async () => {
  application = await startApi({ THROTTLE_PER_10S: '0' }, lines);
  const { url } = application.database;
  const config = testConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '5', THROTTLE_PER_10S: '0' });
  second = await createApp(config, url);
  await second.init();
  await second.getHttpAdapter().getInstance().ready();
});
afterAll(async () => {
  await second.close();
  await application.stop();
});
beforeEach(async () => {
  api = await application.withStore();
  owner = await api.store.session('owner');
  lines.length = 0;
});
const { cli } = commandLine(() => application.database);

const sql = <Row>(text: string, ...values: unknown[]) => application.database.query<Row>(text, values);

async function ask(session: Session, method: Method, path = '', payload?: object, app = api.app) {
  const headers = { host: 'localhost', 'x-dashboard': 'live', cookie: `store-live=${session.secret}` };
  const response = await app.inject({ method, url: `/v1/people${path}`, headers, ...(payload && { payload }) });
  const { statusCode: status, headers: sent } = response;
  return { status, code: sent['x-error-code'], ...response.json<{ data: Record<string, unknown>; error?: string }>() };
}

async function sessionIdOf(person: string): Promise<string> {
  const [row] = await sql<{ id: string }>('SELECT id FROM api_keys WHERE person_id = $1', person);
  return row?.id ?? '';
}

describe('the people of a store', () => {
  it('are added, listed, changed and removed by an owner', async () => {
    const added = await ask(owner, 'POST', '', { email: 'Grace@Example.COM', name: ' Grace Hopper ', role: 'support' });

    const grace = { email: 'grace@example.com', name: 'Grace Hopper', role: 'support', invited: false };
    expect(added).toMatchObject({ status: 201, data: { ...grace, last_sign_in_at: null } });
    const path = `/${String(added.data['id'])}`;
    expect(await ask(owner, 'GET', '?limit=1&page=2')).toMatchObject({ data: [grace], pagination: { total: 2 } });
    const renamed = await ask(owner, 'PATCH', path, { name: 'Rear Admiral', role: null });
    expect(renamed.data).toEqual({ ...added.data, name: 'Rear Admiral' });
    const promoted = await ask(owner, 'PATCH', path, { role: 'manager' });
    expect(promoted.data).toEqual({ ...renamed.data, role: 'manager' });
    expect(await ask(owner, 'DELETE', path)).toMatchObject({ status: 200, data: promoted.data });
    expect(await ask(owner, 'DELETE', path)).toMatchObject({ status: 404, error: 'Person not found' });
  });

  it.each<[string, object, string]>([
    ['an e-mail in capitals that another has', { email: 'PERSON@example.com' }, 'email_taken'],
    ['no e-mail', { email: '' }, 'invalid_request'],
    ['two addresses', { email: 'a@example.com,b@example.com' }, 'invalid_request'],
    ['an address of two @', { email: 'a@b@example.com' }, 'invalid_request'],
    ['an address of 255 bytes', { email: `${'a'.repeat(64)}@${'b.'.repeat(93)}test` }, 'invalid_request'],
    ['a blank name', { name: ' ' }, 'invalid_request'],
    ['a name on two lines', { name: 'Ada\nLovelace' }, 'invalid_request'],
    ['a name that turns the text around', { name: 'Ada\u202e' }, 'invalid_request'],
    ['a name that shows nothing', { name: '\u3164' }, 'invalid_request'],
    ['a name of 201 characters', { name: 'é'.repeat(201) }, 'invalid_request'],
    ['a role that is none', { role: 'admin' }, 'invalid_request'],
    ['an unknown field', { scope: 'full' }, 'invalid_request'],
  ])('refuse %s', async (_what, wrong, code) => {
    const person = { email: 'person@example.com', name: 'é'.repeat(200), role: 'viewer' };
    expect(await ask(owner, 'POST', '', person)).toMatchObject({ status: 201 });

    const refused = await ask(owner, 'POST', '', { ...person, email: 'ada@example.com', ...wrong });

    expect(refused).toMatchObject({ status: code === 'email_taken' ? 422 : 400, code });
  });

  const ROUTES: readonly (readonly [Method, (person: string, session: string) => string, object?])[] = [
    ['GET', () => ''],
    ['POST', () => '', { email: 'a@example.com', name: 'A', role: 'viewer' }],
    ['PATCH', (person) => `/${person}`, { role: 'viewer' }],
    ['DELETE', (person) => `/${person}`],
    ['DELETE', (person) => `/${person}?erase_name=true`],
    ['POST', (person) => `/${person}/invite`],
    ['GET', (person) => `/${person}/sessions`],
    ['DELETE', (person, session) => `/${person}/sessions/${session}`],
  ];

  it('are closed to everyone but owners, to a manager and to every key, too', async () => {
    const session = await sessionIdOf(owner.id);
    for (const role of ROLES.filter((each) => each !== 'owner')) {
      const person = await api.store.session(role);
      for (const [method, path, body] of ROUTES) {
        const refused = await ask(person, method, path(owner.id, session), body);
        expect([role, refused.status, refused.code]).toEqual([role, 403, 'insufficient_scope']);
      }
    }
    expect((await api.get('/v1/people')).headers['x-error-code']).toBe('insufficient_scope');
  });

  it('are changed only within an hour of the sign-in', async () => {
    const stale = await api.store.session('owner', { signedInMinutesAgo: 61 });
    const session = await sessionIdOf(owner.id);
    for (const [method, path, body] of ROUTES) {
      const answer = await ask(stale, method, path(owner.id, session), body);
      expect([method, answer.code]).toEqual([method, method === 'GET' ? undefined : 'stale_sign_in']);
    }
  });

  it('of another store do not exist', async () => {
    const theirs = await (await application.withStore()).store.session('owner');
    const session = await sessionIdOf(theirs.id);
    for (const [method, path, body] of ROUTES.filter(([, of]) => of('x', 'y') !== '')) {
      for (const id of [theirs.id, 'x']) {
        expect([path(id, session), await ask(owner, method, path(id, session), body)]).toMatchObject([
          path(id, session),
          { status: 404 },
        ]);
      }
    }
    expect(await ask(theirs, 'GET')).toMatchObject({ status: 200, data: [{ email: theirs.email, role: 'owner' }] });
  });

  it('are removed with their names by an id in capitals', async () => {
    const leaving = await api.store.session('manager');
    const order = await api.place(anOrderBody(await api.store.product({ stock: 1 })));
    const cookie = `store-live=${leaving.secret}`;
    await api.inject({
      ...{ method: 'POST', url: `/v1/orders/${order.order_id}/notes`, payload: { text: 'Ring twice' } },
      headers: { host: 'localhost', 'x-dashboard': 'live', cookie },
    });
    const actors = `SELECT actor_name AS name FROM order_events WHERE store_id = $1 AND actor_id = $2`;
    expect(await sql(actors, api.store.id, leaving.id)).toEqual([{ name: leaving.name }]);

    await ask(owner, 'DELETE', `/${leaving.id.toUpperCase()}?erase_name=true`);

    expect(await sql(actors, api.store.id, leaving.id)).toEqual([{ name: 'Erased' }]);
  });

  it('may belong to two stores, each with its own role', async () => {
    const elsewhere = await application.withStore();
    const there = await elsewhere.store.session('owner');
    const here = await ask(owner, 'POST', '', { email: there.email, name: 'Ada', role: 'viewer' });

    expect(await ask(owner, 'DELETE', `/${String(here.data['id'])}`)).toMatchObject({ status: 200 });

    expect(await ask(there, 'GET')).toMatchObject({ status: 200, data: [{ email: there.email, role: 'owner' }] });
  });
});

/** A copy of the log is in more hands than the table of people. */
describe('the mails about the access', () => {
  const refused = { status: 422, code: 'too_many_records' };

  it('are at most 30 of a store within an hour, whoever gets them', async () => {
    const person = (n: number) => ({ email: `p${n}@example.com`, name: 'P', role: 'viewer' });
    await sql(
      'UPDATE people SET hour_of_invitations = now(), invitations_in_hour = 28 WHERE store_id = $1',
      api.store.id,
    );

    const { data } = await ask(owner, 'POST', '', person(1));
    expect(await ask(owner, 'POST', `/${String(data['id'])}/invite`)).toMatchObject({ status: 200 });
    expect(await ask(owner, 'POST', '', person(2))).toMatchObject(refused);
    expect(await ask(owner, 'POST', `/${String(data['id'])}/invite`)).toMatchObject(refused);

    await sql(`UPDATE people SET hour_of_invitations = now() - interval '1 hour' WHERE store_id = $1`, api.store.id);
    expect(await ask(owner, 'POST', '', person(2))).toMatchObject({ status: 201 });
  });

  it('count for a new owner as well', async () => {
    const { data } = await ask(owner, 'POST', '', { email: 'heir@example.com', name: 'Heir', role: 'owner' });
    await sql('UPDATE people SET invitations_in_hour = 29 WHERE store_id = $1 AND id <> $2', api.store.id, data['id']);
    expect(await ask(owner, 'POST', `/${String(data['id'])}/invite`)).toMatchObject({ status: 200 });
    await sql('UPDATE people SET invitations_in_hour = 0 WHERE store_id = $1 AND id = $2', api.store.id, data['id']);

    expect(await ask(owner, 'POST', `/${String(data['id'])}/invite`)).toMatchObject(refused);
    await sql('UPDATE people SET invitations_in_hour = 0 WHERE store_id = $1', api.store.id);
  });

  it('are at most 10 of a person', async () => {
    const { data } = await ask(owner, 'POST', '', { email: 'ten@example.com', name: 'Ten', role: 'viewer' });
    await sql('UPDATE people SET invitations = 9 WHERE id = $1', data['id']);

    const answers = [1, 2].map(() => ask(owner, 'POST', `/${String(data['id'])}/invite`));

    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 422]);
  });
});

it('erases no name in more rows of the history than a request may change, and removes nobody then', async () => {
  const { id } = await api.store.session('viewer');
  const order = await api.store.order({});
  await sql(
    `INSERT INTO order_events (store_id, order_id, actor_type, actor_id, actor_name, event)
     SELECT $1, $2, 'person', $3, 'Ada', 'noted' FROM generate_series(1, 10001)`,
    ...[api.store.id, order, id],
  );

  const refused = await ask(owner, 'DELETE', `/${id}?erase_name=true`);

  expect(refused).toMatchObject({ status: 422, code: 'too_many_records' });
  expect(refused.error).toContain('store-commerce people remove --erase-name');
  expect(await ask(owner, 'GET')).toMatchObject({ pagination: { total: 2 } });
});

it('changes of people and sessions are logged by ids alone', async () => {
  const { data } = await ask(owner, 'POST', '', { email: 'grace@example.com', name: 'Grace', role: 'viewer' });
  const path = `/${String(data['id'])}`;
  await ask(owner, 'PATCH', path, { name: 'Grace Hopper' });
  await ask(owner, 'DELETE', path);
  const person = await api.store.session('viewer');
  const sessionId = await sessionIdOf(person.id);
  await ask(owner, 'DELETE', `/${person.id}/sessions/${sessionId}`);
  expect((await ask(owner, 'DELETE', path)).status).toBe(404);

  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg !== 'request');
  const by = { store_id: api.store.id, actor_type: 'person', actor_id: owner.id };
  expect(told).toMatchObject([
    ...['Person added', 'Person changed', 'Person removed'].map((msg) => ({ msg, person_id: data['id'], ...by })),
    { msg: 'Session ended', person_id: person.id, session_id: sessionId, ...by },
  ]);
  expect(lines.join('')).not.toMatch(/Grace|@example/);
});

describe('a session', () => {
  it('has the scope of another role from its next request on', async () => {
    const manager = await api.store.session('manager');
    expect((await ask(manager, 'GET', '', undefined, second)).status).toBe(403);

    await ask(owner, 'PATCH', `/${manager.id}`, { role: 'owner' });
    expect((await ask(manager, 'GET', '', undefined, second)).status).toBe(200);

    await ask(owner, 'PATCH', `/${manager.id}`, { role: 'manager' });
    expect((await ask(manager, 'GET', '', undefined, second)).status).toBe(403);
  });

  it('of a removed person is refused at the next request by another process', async () => {
    const leaving = await api.store.session('owner');
    expect((await ask(leaving, 'GET', '', undefined, second)).status).toBe(200);

    await ask(owner, 'DELETE', `/${leaving.id}`);

    expect((await ask(leaving, 'GET', '', undefined, second)).status).toBe(401);
  });

  it('is listed and ended by an owner', async () => {
    const person = await api.store.session('viewer');
    const mine = await ask(owner, 'GET', `/${owner.id}/sessions`);
    expect(mine).toMatchObject({ data: [{ device: '', last_used_at: null, current: true }], pagination: { total: 1 } });
    const { data } = await ask(owner, 'GET', `/${person.id}/sessions`);
    const [theirs] = data as unknown as { id: string; current: boolean }[];
    expect(theirs?.current).toBe(false);

    const ended = await ask(owner, 'DELETE', `/${person.id}/sessions/${theirs?.id}`);

    expect(ended.data).toEqual(theirs);
    expect((await ask(person, 'GET', '', undefined, second)).status).toBe(401);
    expect((await ask(owner, 'DELETE', `/${person.id}/sessions/${theirs?.id}`)).error).toBe('Session not found');
  });
});

describe('the last owner', () => {
  it('is neither removed nor demoted, by the command line either', async () => {
    await api.store.session('manager');
    const refusal = { status: 422, code: 'last_owner' };

    expect(await ask(owner, 'DELETE', `/${owner.id}`)).toMatchObject(refusal);
    expect(await ask(owner, 'DELETE', `/${owner.id}?erase_name=true`)).toMatchObject(refusal);
    expect(await ask(owner, 'PATCH', `/${owner.id}`, { role: 'manager' })).toMatchObject(refusal);
    const command = await cli(['people', 'remove', owner.email, '--store', api.store.subdomain, '--yes']);
    expect([command.code, command.stderr]).toEqual([1, expect.stringContaining('must keep an owner')]);
  });

  it('stays when two owners remove or demote each other at the same moment', async () => {
    const operator = second.get(PeopleService);
    for (let round = 0; round < 50; round++) {
      const { store } = await application.withStore();
      const [ada, bob] = [await store.session('owner'), await store.session('owner')];
      const demote = { role: 'manager' };
      const byCommand = () =>
        operator.remove({ storeId: store.id, id: ada.id }, round % 4 === 3, null).catch((error: Error) => error);
      await Promise.all([
        round % 2 === 0 ? ask(ada, 'DELETE', `/${bob.id}`) : ask(ada, 'PATCH', `/${bob.id}`, demote),
        round % 3 === 0 ? byCommand() : ask(bob, 'PATCH', `/${ada.id}`, demote, second),
      ]);

      const owners = await sql(`SELECT FROM people WHERE store_id = $1 AND role = 'owner'`, store.id);
      expect([round, owners.length]).toEqual([round, 1]);
    }
  });
});

describe('the mail to a person who was added', () => {
  let sink: SmtpSink;
  let mails: MailNotifier;
  beforeEach(async () => {
    sink = await SmtpSink.start();
    await sql('UPDATE people SET invite_due = false');
  });
  afterEach(async () => {
    mails.onApplicationShutdown();
    await sink.close();
  });

  function sender(env: Record<string, string> = {}): InvitationMails {
    const config = testConfig({ SMTP_URL: sink.url, ...env });
    mails = new MailNotifier(config);
    const get = <T>(type: abstract new (...parameters: never[]) => T): T =>
      application.app.get(type, { strict: false });
    return new InvitationMails(get(Database), get(StoreRepository), mails, config);
  }
  const sendNext = async (worker: InvitationMails) => {
    const claimed = await worker.claim(1);
    for (const mail of claimed) await worker.execute(mail);
    return claimed.length > 0;
  };
  const add = () => ask(owner, 'POST', '', { email: 'grace@example.com', name: 'Grace', role: 'viewer' });
  const isInvited = async (id: unknown) => {
    const { data } = await ask(owner, 'GET');
    return (data as unknown as { id: string; invited: boolean }[]).find((person) => person.id === id)?.invited;
  };

  it('has no secret and the address of the dashboard, and is sent once by all workers', async () => {
    const { data } = await add();
    const worker = sender({ PUBLIC_URL: 'https://shop.example/' });

    const sent = await Promise.all(Array.from({ length: 5 }, () => sendNext(worker)));

    expect(sent.filter(Boolean)).toHaveLength(1);
    expect(sink.mails.map(({ to }) => to)).toEqual([['grace@example.com']]);
    const [head = '', ...text] = (sink.mails[0]?.raw ?? '').replaceAll('=\r\n', '').split('\r\n\r\n');
    const [store] = await sql<{ name: string }>('SELECT name FROM stores WHERE id = $1', api.store.id);
    expect(head).toContain(`Subject: You were added to ${store?.name}`);
    const sentence = `You were added to ${store?.name}. Sign in with your email address grace@example.com`;
    expect(text.join('\n\n').trim()).toBe(`${sentence} at https://shop.example/dashboard/`);
    expect(await isInvited(data['id'])).toBe(true);
  });

  it('is tried again later when the server refuses it, and again at once when an owner asks', async () => {
    const { data } = await add();
    const worker = sender();
    sink.behaviour = { kind: 'refuse', at: 'message', code: 451 };
    await expect(sendNext(worker)).rejects.toThrow('SMTP_451');
    expect(await isInvited(data['id'])).toBe(false);
    expect(await sendNext(worker)).toBe(false);

    sink.behaviour = { kind: 'accept' };
    expect(await ask(owner, 'POST', `/${String(data['id'])}/invite`)).toMatchObject({ data: { invited: false } });
    expect(await sendNext(worker)).toBe(true);

    expect(sink.mails).toHaveLength(1);
    expect(sink.mails[0]?.raw).not.toContain('/dashboard');
    expect(await isInvited(data['id'])).toBe(true);
  });
});

describe('the commands for people', () => {
  it('add, list, change and remove them', async () => {
    const { subdomain: store } = api.store;
    const of = (...args: string[]) => cli(['people', ...args, '--store', store]);
    const added = await of('add', '--email', 'Grace@Example.com', '--name', 'Grace', '--role', 'owner');

    const grace = { store, email: 'grace@example.com', name: 'Grace', role: 'owner' };
    expect(added.json).toMatchObject(grace);
    expect(added.stderr).toContain('PUBLIC_URL is not set');
    expect((await of('list')).json).toMatchObject([{ email: owner.email }, grace]);
    expect((await of('change', 'GRACE@example.com', '--role', 'viewer')).json).toMatchObject({
      ...grace,
      role: 'viewer',
    });
    expect((await of('change', 'grace@example.com')).code).toBe(2);
    expect((await of('remove', 'grace@example.com', '--erase-name', '--yes')).json).toMatchObject({
      ...grace,
      role: 'viewer',
    });
    expect((await of('remove', 'grace@example.com', '--yes')).code).toBe(1);
  });
});
