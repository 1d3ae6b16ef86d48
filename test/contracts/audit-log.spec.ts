import { AuditLog, type AuditEvent, type AuditFilter, type ChangeOrigin } from '@app/application';
import { Database, recordAudit } from '@app/infrastructure';
import { StoreFixture } from '../builders/store-fixture.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

const ERP: ChangeOrigin = { actor: { type: 'key', id: 'k1', name: 'ERP' }, address: '192.0.2.7' };
const COMMAND: ChangeOrigin = { actor: { type: 'operator', id: '', name: 'root' }, address: null };
const REVOKED: AuditEvent = {
  action: 'key.revoked',
  subject: { kind: 'key', id: 'k2', name: 'Till' },
  changes: { status: ['ACTIVE', 'REVOKED'] },
};
const IMPORTED: AuditEvent = {
  action: 'import.written',
  subject: { kind: 'import', id: '', name: '' },
  changes: { created: [null, 3] },
};

describe('AuditLog', () => {
  let application: RunningApplication;
  let audit: AuditLog;
  let database: Database;
  let store: StoreFixture;
  let other: StoreFixture;
  beforeAll(async () => {
    application = await startApplication();
    audit = application.app.get(AuditLog, { strict: false });
    database = application.app.get(Database, { strict: false });
  });
  afterAll(() => application.stop());
  beforeEach(async () => {
    store = await StoreFixture.create(application.database);
    other = await StoreFixture.create(application.database);
    await record(REVOKED, ERP, other.id);
  });

  const record = (event: AuditEvent, origin = ERP, storeId = store.id) =>
    database.transaction(storeId, (sql) => recordAudit(sql, storeId, origin, event));
  /** Gives all entries of the store the same time, or spreads them by one hour in the order of their ids. */
  const setTimes = (step: string) =>
    application.database.query(
      `UPDATE audit_events SET at = '2026-11-20T09:00Z'::timestamptz + number * $2::interval
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM audit_events WHERE store_id = $1) AS numbered
       WHERE store_id = $1 AND audit_events.id = numbered.id`,
      [store.id, step],
    );
  const listed = async (filter: AuditFilter = {}) => (await audit.list(store.id, filter, { limit: 10 })).rows;

  it('lists what was recorded in the store, as it was recorded', async () => {
    await record(REVOKED, ERP);

    const [entry, ...more] = await listed();

    expect(entry).toEqual({ ...REVOKED, ...ERP, at: entry?.at, place: entry?.place });
    expect(entry?.at).toBeInstanceOf(Date);
    expect(more).toEqual([]);
  });

  it('records nothing when the transaction of the change fails', async () => {
    const failing = database.transaction(store.id, async (sql) => {
      await recordAudit(sql, store.id, ERP, REVOKED);
      throw new Error('refused');
    });

    await expect(failing).rejects.toThrow('refused');
    expect(await listed()).toEqual([]);
  });

  it.each([['the same time', '0'] as const, ['different times', '1 hour'] as const])(
    'reaches each of several entries of %s once, newest first',
    async (_what, step) => {
      for (let n = 0; n < 5; n++) await record({ ...REVOKED, changes: { n: [null, n] } });
      await setTimes(step);

      const first = await audit.list(store.id, {}, { limit: 2 });
      const places = [first.rows.at(-1)?.place];
      const second = await audit.list(store.id, {}, { limit: 2, ...(places[0] && { after: places[0] }) });
      const after = second.rows.at(-1)?.place;
      const third = await audit.list(store.id, {}, { limit: 2, ...(after && { after }) });

      const pages = [first, second, third];
      expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
      expect(pages.flatMap(({ rows }) => rows.map(({ changes }) => changes['n']?.[1]))).toEqual([4, 3, 2, 1, 0]);
    },
  );

  it.each<[string, AuditFilter, number]>([
    ['the id of an actor', { actor: 'k1' }, 1],
    ['an actor without id', { actor: 'operator' }, 1],
    ['an actor that no entry has', { actor: 'system' }, 0],
    ['an empty actor', { actor: '' }, 0],
    ['an action', { action: 'import.written' }, 1],
    ['an action that does not exist', { action: 'key' }, 0],
    ['a subject', { subject: 'k2' }, 1],
    ['an empty subject', { subject: '' }, 0],
    ['the time from which', { from: new Date('2026-11-20T11:00Z') }, 1],
    ['the time before which', { to: new Date('2026-11-20T11:00Z') }, 1],
    ['all of them', { actor: 'k1', action: 'key.revoked', subject: 'k2', to: new Date('2026-11-20T11:00Z') }, 1],
    ['two that no entry has together', { actor: 'k1', action: 'import.written' }, 0],
  ])('filters by %s', async (_what, filter, count) => {
    await record(REVOKED, ERP);
    await record(IMPORTED, COMMAND);
    await setTimes('1 hour');

    expect(await listed(filter)).toHaveLength(count);
  });

  it('shortens long values', async () => {
    await record({ ...REVOKED, changes: { text: [undefined, 'x'.repeat(5_000)], list: [[1], [2]] } });

    const [entry] = await listed();

    expect(entry?.changes).toEqual({ text: [null, `"${'x'.repeat(999)}…`], list: [[1], [2]] });
  });
});
