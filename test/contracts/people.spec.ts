import {
  ApiKeyRepository,
  ExceedsMaker,
  hashApiKey,
  PersonRepository,
  type ApiKeyLookup,
  type NewPerson,
  type PersonKey,
} from '@app/application';
import { EmailTaken, LastOwner, ROLES, scopeOfRole } from '@app/domain';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/open-transaction.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

describe('PersonRepository', () => {
  let application: RunningApplication;
  let people: PersonRepository;
  let store: StoreFixture;
  let other: StoreFixture;
  beforeAll(async () => {
    application = await startApplication();
    people = application.app.get(PersonRepository, { strict: false });
  });
  afterAll(() => application.stop());
  beforeEach(async () => {
    store = await StoreFixture.create(application.database);
    other = await StoreFixture.create(application.database);
  });

  const aPerson = (more: Partial<NewPerson> = {}): NewPerson => ({
    ...{ storeId: store.id, id: uuidv7(), email: 'ada@example.com', name: 'Ada', role: 'owner' },
    ...more,
  });
  const rows = <Row>(text: string, ...values: unknown[]) => application.database.query<Row>(text, values);

  const lookUp = async (secret: string) => {
    const key = await application.app.get(ApiKeyRepository, { strict: false }).findByHash(hashApiKey(secret));
    return key && { ...key, address: '192.0.2.1' };
  };

  it('adds a person once in a store, and finds them there', async () => {
    const ada = aPerson();
    const added = await people.insert(ada, null);
    const bob = await people.insert(aPerson({ email: 'bob@example.com', role: 'viewer' }), null);
    const elsewhere = await people.insert(aPerson({ storeId: other.id }), null);

    expect(added).toEqual({ ...ada, createdAt: expect.any(Date) as Date, lastSignInAt: null, isInvited: false });
    await expect(people.insert(aPerson({ role: 'viewer' }), null)).rejects.toThrow(EmailTaken);
    expect(await people.list(store.id)).toEqual([added, bob]);
    expect(await people.find(ada)).toEqual(added);
    expect(await people.findByEmail(other.id, 'ada@example.com')).toEqual(elsewhere);
    expect(await people.findByEmail(other.id, 'bob@example.com')).toBeNull();
  });

  it.each<[string, (key: PersonKey) => Promise<unknown>]>([
    ['find', (key) => people.find(key)],
    ['change', (key) => people.change(key, { name: 'x', role: 'viewer' }, null)],
    ['invite', (key) => people.invite(key, null)],
    ['remove', (key) => people.remove(key, false, null)],
    ['remove with the name', (key) => people.remove(key, true, null)],
  ])('has nothing to %s in another store', async (_what, act) => {
    const ada = await people.insert(aPerson(), null);
    await people.insert(aPerson({ storeId: other.id }), null);

    expect(await act({ storeId: other.id, id: ada.id })).toBeNull();
    expect(await people.find(ada)).toEqual(ada);
  });

  it('changes what is given, and the scope of the sessions', async () => {
    const session = await store.session('owner');
    await store.session('owner');
    const key = { storeId: store.id, id: session.id };
    const scopes = () => rows('SELECT scope FROM api_keys WHERE person_id = $1', session.id);

    expect(await people.change(key, { name: 'Grace' }, null)).toMatchObject({ name: 'Grace', role: 'owner' });
    expect(await people.change(key, { role: 'warehouse' }, null)).toMatchObject({ name: 'Grace', role: 'warehouse' });
    expect(await scopes()).toEqual([{ scope: 'read,fulfillment,stock' }]);
  });

  it.each(ROLES)('gives open sessions of both modes, and no others, the scope of the role %s', async (role) => {
    const before = role === 'viewer' ? 'manager' : 'viewer';
    const [session, another] = [await store.session(before), await store.session(before)];
    await rows(
      `INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, scope, person_id, expires_at)
       SELECT store_id, gen_random_uuid(), sha256(key_hash), prefix, last_four, 'test', scope, person_id, expires_at
       FROM api_keys WHERE person_id = $1`,
      session.id,
    );

    await people.change({ storeId: store.id, id: session.id }, { role }, null);

    const scopesOf = ({ id }: { id: string }) => rows('SELECT scope FROM api_keys WHERE person_id = $1', id);
    expect(await scopesOf(session)).toEqual(Array(2).fill({ scope: scopeOfRole(role) }));
    expect(await scopesOf(another)).toEqual([{ scope: scopeOfRole(before) }]);
  });

  it('keeps an owner', async () => {
    const ada = await people.insert(aPerson(), null);
    await people.insert(aPerson({ storeId: other.id }), null);
    await people.insert(aPerson({ email: 'bob@example.com', role: 'manager' }), null);

    await expect(people.change(ada, { role: 'manager' }, null)).rejects.toThrow(LastOwner);
    await expect(people.remove(ada, false, null)).rejects.toThrow(LastOwner);
    await expect(people.remove(ada, true, null)).rejects.toThrow(LastOwner);
    expect(await people.change(ada, { role: 'owner' }, null)).toEqual(ada);
  });

  it('keeps an owner who is about to be the only one', async () => {
    const ada = await people.insert(aPerson(), null);
    const bob = await people.insert(aPerson({ email: 'bob@example.com' }), null);
    const removal = await openTransaction(
      application.database,
      `SELECT FROM people WHERE store_id = ${store.id} AND role = 'owner' ORDER BY id FOR NO KEY UPDATE;
       DELETE FROM people WHERE id = '${bob.id}'`,
    );
    const refused = expect(people.change(ada, { role: 'viewer' }, null)).rejects.toThrow(LastOwner);
    await eventually(async () => expect(await lockWaits(application.database, '%people.lock_owners%')).toBe(1));

    await removal.query('COMMIT');
    await removal.end();

    await refused;
  });

  it('removes a person with the sessions, and keeps the name in the history unless it is erased', async () => {
    const actor = (id: string) => ({ actor_type: 'person', actor_id: id, actor_name: 'Ada' });
    const order_id = await store.order();
    const product_id = await store.product({ stock: 1 });
    const [stock] = await rows<object>('SELECT bin_id FROM stock WHERE product_id = $1', product_id);
    await store.session('owner');
    const [kept, erased] = [await store.session('owner'), await store.session('manager')];
    for (const { id } of [kept, erased]) {
      await store.row('order_events', { order_id, event: 'noted', ...actor(id) });
      await store.row('stock_movements', {
        ...{ ...stock, product_id, variant_key: 0, kind: 'ADJUSTMENT', quantity: 1 },
        ...actor(id),
      });
      const made = JSON.stringify({ type: 'person', id, name: 'Ada' });
      await store.createKey();
      await rows(
        `UPDATE api_keys SET created_by = $2, changed_by = $2
         WHERE store_id = $1 AND person_id IS NULL AND created_by ->> 'type' = 'operator' AND name = ''`,
        store.id,
        made,
      );
    }

    expect(await people.remove({ storeId: store.id, id: kept.id }, false, null)).toMatchObject({ email: kept.email });
    expect(await people.remove({ storeId: store.id, id: erased.id }, true, null)).toMatchObject({
      email: erased.email,
    });

    const names = await rows<{ id: string; name: string }>(
      `SELECT DISTINCT id, name FROM (
         SELECT actor_id AS id, actor_name AS name FROM order_events WHERE store_id = $1
         UNION ALL SELECT actor_id, actor_name FROM stock_movements WHERE store_id = $1 AND actor_type = 'person'
         UNION ALL SELECT created_by ->> 'id', created_by ->> 'name' FROM api_keys WHERE store_id = $1
         UNION ALL SELECT changed_by ->> 'id', changed_by ->> 'name' FROM api_keys WHERE store_id = $1
       ) AS actors WHERE id <> '' ORDER BY name`,
      store.id,
    );
    expect(names).toEqual([
      { id: kept.id, name: 'Ada' },
      { id: erased.id, name: 'Erased' },
    ]);
    const left = await rows('SELECT FROM api_keys WHERE person_id = ANY ($1)', [kept.id, erased.id]);
    expect(left).toEqual([]);
  });

  it('removes a person with many sessions, and reads none of the many of another', async () => {
    const [{ id }, another] = [await store.session('viewer'), await store.session('viewer')];
    await rows(
      `INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, scope, person_id, expires_at)
       SELECT $1, gen_random_uuid(), sha256(uuid_send(gen_random_uuid())), '', '', 'live', 'read', person, now()
       FROM unnest($2::uuid[]) AS person, generate_series(1, 300)`,
      store.id,
      [id, another.id],
    );
    const client = new pg.Client({ connectionString: application.database.url });
    await client.connect();
    await client.query('SET enable_seqscan = off');
    await client.query('BEGIN');

    await client.query('DELETE FROM people WHERE store_id = $1 AND id = $2', [store.id, id]);

    const read = await client.query<{ rows: number }>(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'api_keys'`,
    );
    await client.query('COMMIT');
    await client.end();
    expect(await rows('SELECT FROM api_keys WHERE person_id = $1', id)).toEqual([]);
    expect(read.rows[0]?.rows).toBeLessThan(10 * 300);
  });

  it('lets no statement change the ledger, except to erase the name of a person', async () => {
    await store.product({ stock: 1 });

    for (const set of [`actor_name = 'Erased'`, 'quantity = 2', `reason = 'x'`]) {
      await expect(rows(`UPDATE stock_movements SET ${set} WHERE store_id = $1`, store.id)).rejects.toThrow(
        'stock_movements is append-only',
      );
    }
    await expect(rows('DELETE FROM stock_movements WHERE store_id = $1', store.id)).rejects.toThrow('append-only');
  });

  it('shows a sign-in once, and ends its keys of both modes', async () => {
    const [session, another] = [await store.session('owner'), await store.session('owner')];
    const key = { storeId: store.id, id: session.id };
    await rows(
      `INSERT INTO api_keys (store_id, id, key_hash, prefix, last_four, mode, scope, person_id, created_at, expires_at)
       SELECT store_id, gen_random_uuid(), sha256(key_hash), prefix, last_four, 'test', scope, person_id, created_at, expires_at
       FROM api_keys WHERE person_id = $1`,
      session.id,
    );
    const [signIn, ...others] = await people.sessions(key);

    expect(others).toEqual([]);
    expect(signIn).toMatchObject({ keyIds: [signIn?.id, expect.any(String)], device: '', lastUsedAt: null });
    const sessionId = signIn?.keyIds[1] ?? '';
    expect(await people.endSession({ ...key, storeId: other.id }, sessionId, null)).toBeNull();
    expect(await people.endSession({ ...key, id: another.id }, sessionId, null)).toBeNull();
    expect((await people.endSession(key, sessionId, null))?.id).toBe(signIn?.id);
    expect(await people.sessions(key)).toEqual([]);
    expect(await people.sessions({ ...key, id: another.id })).toHaveLength(1);
  });

  const CHANGES: readonly [string, (key: PersonKey, asker: ApiKeyLookup | null) => Promise<unknown>][] = [
    ['insert', (_key, asker) => people.insert(aPerson(), asker)],
    ['change', (key, asker) => people.change(key, { role: 'owner' }, asker)],
    ['invite', (key, asker) => people.invite(key, asker)],
    ['remove', (key, asker) => people.remove(key, false, asker)],
    ['remove with the name', (key, asker) => people.remove(key, true, asker)],
    ['end a session', async (key, asker) => people.endSession(key, (await people.sessions(key))[0]?.id ?? '', asker)],
  ];

  it.each(CHANGES)(
    'does not %s for a key that has ended or another scope since it was looked up',
    async (_what, act) => {
      const [asker, another] = [await store.session('owner'), await store.session('owner')];
      const key = { storeId: store.id, id: another.id };
      const found = await lookUp(asker.secret);
      const all = () =>
        rows(
          'SELECT p, k.id FROM people p LEFT JOIN api_keys k ON k.person_id = p.id WHERE p.store_id = $1 ORDER BY p.id, k.id',
          store.id,
        );

      for (const change of [`scope = 'read'`, 'expires_at = now()', `status = 'DEACTIVATED'`]) {
        await rows(`UPDATE api_keys SET ${change} WHERE person_id = $1`, asker.id);
        const before = await all();
        await expect(act(key, found)).rejects.toThrow(ExceedsMaker);
        expect(await all()).toEqual(before);
        await rows(
          `UPDATE api_keys SET scope = $2, status = 'ACTIVE', expires_at = now() + interval '1 hour' WHERE person_id = $1`,
          ...[asker.id, scopeOfRole('owner')],
        );
      }
      expect(await act(key, found)).not.toBeNull();
    },
  );

  it('adds nobody for an owner whom another transaction is demoting', async () => {
    const [asker] = [await store.session('owner'), await store.session('owner')];
    const found = await lookUp(asker.secret);
    const demotion = await openTransaction(
      application.database,
      `UPDATE api_keys SET scope = 'read' WHERE person_id = '${asker.id}'`,
    );
    const refused = expect(people.insert(aPerson(), found)).rejects.toThrow(ExceedsMaker);
    await eventually(async () => expect(await lockWaits(application.database, '%people.hold_asker%')).toBe(1));

    await demotion.query('COMMIT');
    await demotion.end();

    await refused;
  });

  it('makes the mail due again', async () => {
    const ada = await people.insert(aPerson(), null);
    const state = 'SELECT invite_due, invite_attempts FROM people WHERE id = $1';
    await rows(
      `UPDATE people SET invite_due = false, invite_attempts = 20, invite_at = 'infinity' WHERE id = $1`,
      ada.id,
    );
    expect(await people.find(ada)).toMatchObject({ isInvited: true });

    expect(await people.invite(ada, null)).toMatchObject({ isInvited: false });

    expect(await rows(`${state} AND invite_at <= now()`, ada.id)).toEqual([{ invite_due: true, invite_attempts: 0 }]);
  });
});
