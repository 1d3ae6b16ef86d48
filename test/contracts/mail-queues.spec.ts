import { StoreRepository, type ClaimLimits } from '@app/application';
import { Config, Database, DataCipher } from '@app/infrastructure';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { StoreFixture } from '../builders/store-fixture.js';
import { InvitationMails } from '../../libs/infrastructure/src/mail/invitation-mails.js';
import { MailNotifier } from '../../libs/infrastructure/src/mail/mail-notifier.js';
import { MerchantNotices } from '../../libs/infrastructure/src/mail/merchant-notices.js';
import { SignInMails } from '../../libs/infrastructure/src/mail/sign-in-mails.js';
import { PostgresPipelineStages } from '../../libs/infrastructure/src/orders/postgres-pipeline-stages.js';
import { requestPool } from '../../libs/infrastructure/src/postgres/data-source.js';
import { rowsReadBy, type RunPlan } from '../support/rows-read.js';
import { startApplication, type RunningApplication } from '../support/start-application.js';

const BACKLOG = 20_000;
/** The number of rows that a claim of two may read from its table, which has two stores, one with a backlog. */
const MAX_READ = 40;

let application: RunningApplication;
beforeAll(async () => (application = await startApplication()));
afterAll(() => application.stop());

const get = <T>(type: abstract new (...parameters: never[]) => T): T => application.app.get(type, { strict: false });
const mails = () => [get(StoreRepository), new MailNotifier(new Config({}))] as const;

interface Queue {
  readonly table: string;
  /** Inserts $2 mails of the store $1; the first is due longest, for $3 minutes. */
  readonly insert: string;
  readonly worker: () => { claimWithin(limits: ClaimLimits): Promise<readonly { readonly storeId: number }[]> };
}

/** The limits of addresses and networks keep its backlog short, so a claim reads all of it. */
const SIGN_INS = 'sign_ins.claim_mails';

const QUEUES: readonly [statement: string, Queue][] = [
  [
    'stages.claim',
    {
      table: 'order_stages',
      insert: `INSERT INTO order_stages (store_id, order_id, stage, reference, state, run_at)
        SELECT $1, id, 'notify-refund', n, 'pending', now() - $3 * interval '1 minute' + n * interval '1 ms'
        FROM orders, generate_series(1, $2) AS n WHERE store_id = $1`,
      worker: () => {
        const stages = new PostgresPipelineStages(get(Database));
        return { claimWithin: (limits) => stages.claim(limits, 30_000) };
      },
    },
  ],
  [
    'notices.claim',
    {
      table: 'merchant_notices',
      insert: `INSERT INTO merchant_notices (store_id, subject, details, run_at)
        SELECT $1, 'short_stock', '[]', now() - $3 * interval '1 minute' + n * interval '1 ms' FROM generate_series(1, $2) AS n`,
      worker: () => new MerchantNotices(get(Database), ...mails()),
    },
  ],
  [
    'invitations.claim',
    {
      table: 'people',
      insert: `INSERT INTO people (store_id, id, email, name, role, invite_at)
        SELECT $1, gen_random_uuid(), n || '@example.com', '', 'viewer', now() - $3 * interval '1 minute' + n * interval '1 ms'
        FROM generate_series(1, $2) AS n`,
      worker: () => new InvitationMails(get(Database), ...mails(), new Config({})),
    },
  ],
  [
    SIGN_INS,
    {
      table: 'sign_ins',
      insert: `WITH person AS (
          INSERT INTO people (store_id, id, email, name, role, invite_due)
          SELECT id, gen_random_uuid(), 'store-' || id || '@example.com', '', 'viewer', false FROM stores WHERE id = $1 RETURNING email)
        INSERT INTO sign_ins (id, kind, email, secret_hash, mail_code, mail_due_at, expires_at)
        SELECT gen_random_uuid(), 'code', email, sha256(gen_random_uuid()::text::bytea), '\\x00',
          now() - $3 * interval '1 minute' + n * interval '1 ms', now() + interval '10 minutes'
        FROM person, generate_series(1, $2) AS n`,
      worker: () => new SignInMails(get(Database), get(DataCipher), ...mails()),
    },
  ],
];

describe.each(QUEUES)('the claims of %s', (statement, { table, insert, worker }) => {
  const add = (store: StoreFixture, count: number, minutes: number) =>
    application.database.query(insert, [store.id, count, minutes]);
  /** @param running of the busy store, of which a worker runs `mostOfStore`. */
  const limits = (most: number, mostOfStore = most, running = 0): ClaimLimits => ({
    most,
    mostOfStore,
    running: new Map([[busy.id, running]]),
  });
  const storesOf = async (claims: Promise<readonly { readonly storeId: number }[]>) =>
    (await claims).map(({ storeId }) => storeId).sort();

  let busy: StoreFixture;
  let quiet: StoreFixture;
  beforeEach(async () => {
    await application.database.query(`DELETE FROM ${table}`);
    [busy, quiet] = [await StoreFixture.create(application.database), await StoreFixture.create(application.database)];
    for (const store of [busy, quiet]) await store.order();
  });

  it('take the mail of another store before the second of a backlog that is due longer', async () => {
    await add(busy, 50, 60);
    await add(quiet, 1, 1);
    const queue = worker();

    expect(await storesOf(queue.claimWithin(limits(2)))).toEqual([busy.id, quiet.id]);
    expect(await storesOf(queue.claimWithin(limits(2)))).toEqual([busy.id, busy.id]);
    expect(await storesOf(queue.claimWithin(limits(100)))).toHaveLength(47);
    expect(await queue.claimWithin(limits(1))).toEqual([]);
  });

  it('leave slots to other stores while a store with a backlog sends mails', async () => {
    await add(busy, 50, 60);
    const queue = worker();

    expect(await storesOf(queue.claimWithin(limits(20, 10)))).toHaveLength(10);
    expect(await storesOf(queue.claimWithin(limits(10, 10, 10)))).toEqual([]);
    await add(quiet, 3, 1);
    expect(await storesOf(queue.claimWithin(limits(4, 10, 8)))).toEqual([busy.id, quiet.id, quiet.id, quiet.id]);
    expect(await storesOf(queue.claimWithin(limits(10, 10, 7)))).toEqual([busy.id, busy.id, busy.id]);
  });

  it.each(statement === SIGN_INS ? ['a person'] : [])(
    'count %s of several stores for the one that has the fewest mails due',
    async () => {
      await add(busy, 50, 60);
      await add(quiet, 1, 1);
      await busy.row('people', { id: uuidv7(), email: `store-${quiet.id}@example.com`, name: '', role: 'viewer' });

      expect(await storesOf(worker().claimWithin(limits(2)))).toEqual([busy.id, quiet.id]);
    },
  );

  it('take what follows when another worker claims the front of a store at the same moment', async () => {
    await add(busy, 50, 60);
    const [one, other] = await Promise.all([1, 2].map(() => storesOf(worker().claimWithin(limits(4, 2)))));

    expect([one, other]).toEqual([
      [busy.id, busy.id],
      [busy.id, busy.id],
    ]);
  });

  it.each(statement === SIGN_INS ? [] : ['was empty', 'was full'])(
    'read a few mails of a backlog by a plan of when the table %s',
    async (planned) => {
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      await worker().claimWithin(limits(1));
      const calls = sent.mock.calls as unknown as readonly [string | pg.QueryConfig][];
      const texts = calls.map(([call]) => (typeof call === 'string' ? call : call.text));
      sent.mockRestore();
      const text = texts.find((sql) => sql.includes(statement)) ?? '';
      const values = `2, 2, '{}', '{}'${text.includes('$6') ? `, 30000, 'epoch'` : ''}`;
      const pool = requestPool(application.database.url, 1);
      const client = await pool.connect();
      await client.query(`SET application_name = 'test'`);
      const explained = async () => {
        await client.query('BEGIN');
        const { rows } = await client.query<RunPlan>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE claim (${values})`);
        await client.query('ROLLBACK');
        return rows[0] as RunPlan;
      };

      if (planned === 'was empty') {
        await application.database.query(`VACUUM ANALYZE ${table}`);
        await client.query(`PREPARE claim AS ${text}`);
        await explained();
      }
      await add(busy, BACKLOG, 60);
      await add(quiet, 1, 1);
      if (planned === 'was full') {
        await application.database.query(`ANALYZE ${table}`);
        await client.query(`PREPARE claim AS ${text}`);
      }
      const plan = await explained();
      client.release();
      await pool.end();

      const read = rowsReadBy(plan).get(table) ?? NaN;
      expect([read <= MAX_READ, read]).toEqual([true, read]);
    },
  );
});
