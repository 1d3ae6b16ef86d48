import { setTimeout as sleep } from 'node:timers/promises';
import {
  MoveRefused,
  StoreMoves,
  type MoveReport,
  type MoveStep,
  type StoreMove,
  type StoreStatus,
} from '@app/application';
import { NotFound } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { waitAfter } from '../../mail/mail-attempts.js';
import { DataCipher } from '../../platform/data-cipher.js';
import { errorCode } from '../../platform/error-code.js';
import { DirectDatabase, withConnection, type Connection } from '../../postgres/connection.js';
import { MIGRATIONS_LOCK } from '../../postgres/migrate.js';
import { isLockTimeout } from '../../postgres/postgres-errors.js';
import type { Sql } from '../../postgres/sql.js';
import { clusterOf, epochOf, faultsOfMove, placeOf } from './check-move.js';
import { deleteStore, isCopied, sumsOf, tablesOfStores } from './moved-tables.js';
import { openTarget } from './open-target.js';
import {
  arrives,
  beginReplication,
  endReplication,
  stopReplication,
  waitForCopy,
  type Clusters,
} from './replication.js';

const APPLICATION = 'store-move';
const ATTEMPTS = 3;
/** Everything that the worker began before it learned of the drain ends within this time. */
const DRAIN_MS = 1_000;
const DRAIN_TIMEOUT_MS = 30_000;
/**
 * How long to wait for messages that are being sent. A webhook message that is still running at the switch is sent
 * again, with the same id; so is a notice to the merchant.
 */
const MESSAGE_DRAIN_TIMEOUT_MS = 5_000;
const WRITERS_MS = 3_000;
const CATCH_UP_MS = 5_000;
/** A target that is gone can be silent for ever. */
const ANSWER_TIMEOUT_MS = 10_000;
/** How long to wait for changes that the transaction of another store's writer delays. */
const NUMBERING_MS = 3_000;

interface Store {
  readonly id: number;
  readonly status: StoreStatus;
}

interface Details {
  readonly place?: string;
  readonly epoch?: string;
  readonly differences?: readonly string[];
  readonly rows?: number;
}

type Done = ReadonlyMap<MoveStep, Details>;

interface Moving extends Clusters {
  readonly subdomain: string;
  readonly status: StoreStatus;
  readonly done: Done;
}

@Injectable()
export class PostgresStoreMoves extends StoreMoves {
  constructor(
    private readonly direct: DirectDatabase,
    private readonly cipher: DataCipher,
  ) {
    super();
  }

  override check(subdomain: string, target: string): Promise<readonly string[]> {
    return this.withClusters(subdomain, target, async (moving) =>
      moving.done.has('copying')
        ? ['The move has already begun: repeat it without --dry-run, or abort it with --abort.']
        : faultsOfMove(moving, subdomain, this.cipher.keyIds),
    );
  }

  override move({ subdomain, target, onProgress }: StoreMove): Promise<MoveReport> {
    return this.withClusters(subdomain, target, async (moving) => {
      const finish = async (step: MoveStep) => {
        await note(moving, step);
        onProgress({ step, detail: '' });
      };
      await this.assertMayMove(moving);
      let closedAt: number | null = null;
      const wasOpen = isServed(await statusOf(moving.target, moving.storeId));
      const isAtHome = moving.status !== 'MOVED' && !wasOpen;
      if (isAtHome) {
        // A killed command has closed the store.
        await reopen(moving);
        if (!moving.done.has('copying')) {
          const place = await placeOf(moving.target);
          await note(moving, 'copying', { place, epoch: await epochOf(moving) });
        }
        await copyProfile(moving);
        await beginReplication(moving);
        onProgress({ step: 'copying', detail: '' });
        await waitForCopy(moving, (detail) => onProgress({ step: 'copying', detail }));
        for (const { name } of (await tablesOfStores(moving.target)).filter(isCopied)) {
          // Without statistics, the first requests would scan whole tables.
          await moving.target.query(`/* moves.analyze */ ANALYZE ${name}`);
        }
        await finish('copied');
      }
      return withConnection(target, APPLICATION, async (snapshot) => {
        if (isAtHome) {
          closedAt = await close(moving, () => onProgress({ step: 'draining', detail: '' }));
          onProgress({ step: 'closed', detail: '' });
        }
        if (!wasOpen) await this.prepareOpening(moving, snapshot);
        // @protects one-home
        await moving.source.query(LEAVE, [moving.storeId]);
        if (!wasOpen) await openTarget(moving);
        const closedMs = closedAt === null ? null : Math.round(performance.now() - closedAt);
        await finish('opened');
        const compared = wasOpen ? null : await compare(moving, snapshot);
        if (compared) {
          await note(moving, 'verified', compared);
          onProgress({ step: 'verified', detail: '' });
        }
        await endReplication(moving);
        await finish('cleaned');
        const { differences = [], rows = null } = compared ?? moving.done.get('verified') ?? {};
        return { subdomain, rows, differences, closedMs };
      });
    });
  }

  override abort(subdomain: string, target: string): Promise<void> {
    return this.withClusters(subdomain, target, async (moving) => {
      if (!moving.done.has('copying')) throw new MoveRefused(`The store ${subdomain} is not being moved.`);
      await assertSameTarget(moving);
      if (moving.status === 'MOVED' || isServed(await statusOf(moving.target, moving.storeId)))
        throw new MoveRefused(
          `The store ${subdomain} is already served by the target, so the move cannot be aborted: move the store back.`,
        );
      await reopen(moving);
      await endReplication(moving);
      if ((await statusOf(moving.target, moving.storeId)) === 'MOVED') await deleteStore(moving.target, moving.storeId);
      await moving.source.query('/* moves.forget_steps */ DELETE FROM store_moves WHERE store_id = $1', [
        moving.storeId,
      ]);
    });
  }

  override forget(subdomain: string): Promise<number> {
    return withConnection(this.direct.url, APPLICATION, async (source) => {
      const { id, status } = await findStore(source, subdomain);
      const done = await stepsDone(source, id);
      if (status !== 'MOVED' || !done.has('cleaned')) {
        throw new MoveRefused(`The store ${subdomain} has not completely moved away from this database.`);
      }
      const verified = done.get('verified');
      if (!verified) {
        throw new MoveRefused(`The copy of ${subdomain} on the target was not compared: see docs/scaling.md.`);
      }
      const { differences = [] } = verified;
      if (differences.length > 0) {
        throw new MoveRefused(
          `The rows of ${differences.join(', ')} differ on the target: keep this copy as evidence.`,
        );
      }
      return deleteStore(source, id);
    });
  }

  /** When the target fails here, a store that is not MOVED yet continues at the source. */
  private async prepareOpening(moving: Moving, snapshot: Sql): Promise<void> {
    try {
      await inTime(this.assertMayOpen(moving));
      await inTime(snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM stores LIMIT 1'));
      // The target applies changes without a flush. This commit flushes them: after LEAVE, a repeated command does not
      // wait for them again.
      await inTime(stopReplication(moving));
    } catch (error) {
      if (moving.status !== 'MOVED') await reopen(moving);
      throw error;
    }
  }

  /** @throws MoveRefused when the target does not have the copy that this move has made. */
  private async assertMayOpen(moving: Moving): Promise<void> {
    const status = await statusOf(moving.target, moving.storeId);
    if (status !== 'MOVED' || moving.done.has('opened')) {
      throw new MoveRefused('The target does not have the store: it may have moved to another cluster since.');
    }
  }

  private async assertMayMove(moving: Moving): Promise<void> {
    if (moving.done.has('copying')) {
      await assertSameTarget(moving);
      if (!isServed(await statusOf(moving.target, moving.storeId))) await assertSameEpoch(moving);
      return;
    }
    const faults = await faultsOfMove(moving, moving.subdomain, this.cipher.keyIds);
    if (faults.length > 0) throw new MoveRefused(faults.join('\n'));
  }

  private withClusters<T>(subdomain: string, targetUrl: string, work: (moving: Moving) => Promise<T>): Promise<T> {
    return withConnection(this.direct.url, APPLICATION, (source) =>
      withTarget(targetUrl, async (target, cluster) => {
        if ((await clusterOf(source)) === cluster) {
          throw new MoveRefused('The target is in the same cluster as the source.');
        }
        for (const client of [source, target]) await lockMigrations(client);
        const { id, status } = await findStore(source, subdomain);
        const done = await stepsDone(source, id);
        return work({ storeId: id, source, target, address: this.direct.url, subdomain, status, done });
      }),
    );
  }
}

/** @param work also receives the identifier of the cluster. @throws MoveRefused when the database cannot be used. */
async function withTarget<T>(url: string, work: (target: Connection, cluster: string) => Promise<T>): Promise<T> {
  let isUsable = false;
  try {
    return await withConnection(url, APPLICATION, async (target) => {
      const cluster = await clusterOf(target);
      isUsable = true;
      return work(target, cluster);
    });
  } catch (error) {
    throw isUsable ? error : new MoveRefused(`The target (--to): ${reasonOf(error as Error, url)}.`);
  }
}

// Before the first row is read, no message contains a value of a row.
function reasonOf(error: Error, url: string): string {
  const code = errorCode(error);
  if (!url.includes('://')) return 'specify a URL, such as postgres://mover@b.db.example/store';
  if (code === '42P01') return 'its database has no schema: run `npx store-commerce migrate` with its DATABASE_URL';
  if (/client password must be/.test(error.message))
    return 'its role requires a password: set it in the URL or PGPASSWORD';
  // A refused connection to a name with several addresses is an AggregateError without a message.
  return error.message || (code ?? error.name);
}

// The lock of a host that vanished ends with its connection. These settings end it soon, and make each step survive a
// crash.
const LASTING = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
  SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

const LOCK = '/* moves.lock */ SELECT pg_try_advisory_lock($1) AS taken';

/**
 * Locks out migrations: tables that a migration changes during the move would not change in the copy. The lock also
 * ensures that only one move runs.
 */
async function lockMigrations(sql: Sql): Promise<void> {
  await sql.query(LASTING);
  const [lock] = await sql.query<{ taken: boolean }>(LOCK, [MIGRATIONS_LOCK]);
  if (!lock?.taken) throw new MoveRefused('Another move, or a migration, is running in one of the databases.');
}

async function findStore(source: Sql, subdomain: string): Promise<Store> {
  const sql = '/* moves.store */ SELECT id, status FROM stores WHERE subdomain = $1';
  const store = (await source.query<Store>(sql, [subdomain]))[0];
  if (!store) throw new NotFound(`Store ${subdomain}`);
  return store;
}

const isServed = (status: StoreStatus | null): boolean => status === 'ACTIVE' || status === 'INACTIVE';

async function statusOf(client: Sql, storeId: number): Promise<StoreStatus | null> {
  const sql = '/* moves.status */ SELECT status FROM stores WHERE id = $1';
  return (await client.query<{ status: StoreStatus }>(sql, [storeId]))[0]?.status ?? null;
}

async function stepsDone(source: Sql, storeId: number): Promise<Done> {
  const sql = '/* moves.steps */ SELECT step, details FROM store_moves WHERE store_id = $1';
  const rows = await source.query<{ step: MoveStep; details: Details }>(sql, [storeId]);
  return new Map(rows.map(({ step, details }) => [step, details]));
}

async function assertSameTarget({ target, done, subdomain, status }: Moving): Promise<void> {
  if (done.get('copying')?.place === (await placeOf(target))) return;
  const where = status === 'MOVED' ? 'was moved' : 'is being moved';
  throw new MoveRefused(`The store ${subdomain} ${where} to another cluster than that of --to.`);
}

async function assertSameEpoch(moving: Moving): Promise<void> {
  if (moving.status === 'MOVED' || moving.done.get('copying')?.epoch === (await epochOf(moving))) return;
  throw new MoveRefused(
    'A cluster failed over or was migrated during the move: abort the move with --abort, and start again.',
  );
}

const NOTE = `/* moves.note */
  INSERT INTO store_moves (store_id, step, details) VALUES ($1, $2, $3)
  ON CONFLICT (store_id, step) DO UPDATE SET at = excluded.at, details = store_moves.details || excluded.details
  RETURNING at`;

/** @returns when the step was noted, which identifies this row at the target. */
async function note({ source, storeId }: Moving, step: MoveStep, details: object = {}): Promise<Date> {
  const rows = await source.query<{ at: Date }>(NOTE, [storeId, step, details]);
  return (rows[0] as { at: Date }).at;
}

const PROFILE = '/* moves.profile */ SELECT to_jsonb(stores) AS profile FROM stores WHERE id = $1';

/**
 * Copies the profile with the status of a store that the target does not own: nothing is served or sent there before
 * the switch.
 */
async function copyProfile({ source, target, storeId }: Moving): Promise<void> {
  const rows = await source.query<{ profile: object }>(PROFILE, [storeId]);
  await target.query(
    `/* moves.copy_profile */
     INSERT INTO stores SELECT (jsonb_populate_record(NULL::stores, $1::jsonb || '{"status": "MOVED"}')).* ON CONFLICT DO NOTHING`,
    [rows[0]?.profile],
  );
}

const CLOSE = `/* moves.close */
  WITH former AS (
    SELECT status FROM stores WHERE id = $1 AND status IN ('ACTIVE', 'INACTIVE') FOR NO KEY UPDATE
  ), closed AS (
    UPDATE stores SET status = 'MOVING' FROM former WHERE id = $1
  )
  INSERT INTO store_moves (store_id, step, details) SELECT $1, 'draining', jsonb_build_object('status', status) FROM former
  ON CONFLICT (store_id, step) DO UPDATE SET details = excluded.details`;

const REOPEN = `/* moves.reopen */
  WITH former AS (
    DELETE FROM store_moves WHERE store_id = $1 AND step IN ('draining', 'closed') RETURNING details
  )
  UPDATE stores SET status = coalesce((SELECT details ->> 'status' FROM former WHERE details ? 'status'), status)
  WHERE id = $1 AND status = 'MOVING'`;

const LEAVE = `/* moves.leave */ UPDATE stores SET status = 'MOVED' WHERE id = $1`;

/**
 * Stops all writers of the store, and waits until the target has what they wrote. When that takes too long, the store
 * continues here for a while before the next attempt.
 * @returns when the store was closed.
 */
async function close(moving: Moving, onDrain: () => void): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    await note(moving, 'draining');
    onDrain();
    try {
      // @protects drained-worker
      await drain(moving);
      const closedAt = performance.now();
      if (await withLockLimit(moving, () => shut(moving))) return closedAt;
    } catch (error) {
      if (!isLockTimeout(error)) {
        await reopen(moving);
        throw error;
      }
    }
    await reopen(moving);
    if (attempt === ATTEMPTS) {
      throw new MoveRefused(
        'Writes in progress did not end in time. The store stays on the source: repeat the command.',
      );
    }
    await sleep(DRAIN_MS);
  }
}

async function reopen({ source, storeId }: Moving): Promise<void> {
  await source.query(REOPEN, [storeId]);
}

// A notice or an invitation that a worker has claimed is due again later, at a time that depends on the number of its
// attempts.
const claimed = (attempts: string, due: string) =>
  `${attempts} > 0 AND ${due} - ${waitAfter(attempts)} > now() - interval '35 s'`;

const BUSY = `/* moves.busy */
  SELECT
    EXISTS (SELECT FROM order_stages WHERE store_id = $1 AND state = 'pending' AND locked_until > now()) AS stages,
    EXISTS (SELECT FROM webhooks WHERE store_id = $1 AND held_until > now())
      OR EXISTS (SELECT FROM merchant_notices WHERE store_id = $1 AND ${claimed('attempts', 'run_at')})
      OR EXISTS (SELECT FROM people WHERE store_id = $1 AND invite_due AND ${claimed('invite_attempts', 'invite_at')}) AS messages`;

async function busy({ source, storeId }: Moving): Promise<{ stages: boolean; messages: boolean }> {
  const rows = await source.query<{ stages: boolean; messages: boolean }>(BUSY, [storeId]);
  return rows[0] as { stages: boolean; messages: boolean };
}

async function drain(moving: Moving): Promise<void> {
  const begun = performance.now();
  for (await sleep(DRAIN_MS); ; await sleep(20)) {
    const { stages, messages } = await busy(moving);
    const passedMs = performance.now() - begun;
    if (!stages && (!messages || passedMs > MESSAGE_DRAIN_TIMEOUT_MS)) return;
    if (passedMs > DRAIN_TIMEOUT_MS) {
      throw new MoveRefused(
        'A mail of the store has been sending for 30 s. The store stays on the source: repeat the command.',
      );
    }
  }
}

async function withLockLimit<T>({ source }: Moving, work: () => Promise<T>): Promise<T> {
  await source.query(`SET lock_timeout = ${WRITERS_MS}`);
  try {
    return await work();
  } finally {
    await source.query('SET lock_timeout = 0');
  }
}

/** @throws MoveRefused when the target does not answer, while the store is closed. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  const silence = sleep(ANSWER_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new MoveRefused('The target does not answer: repeat the command.');
  });
  return Promise.race([answer, silence]);
}

/** @returns whether the store has no writer left, and the target has all its rows. */
async function shut(moving: Moving): Promise<boolean> {
  await moving.source.query(CLOSE, [moving.storeId]);
  if (!(await waitForWriters(moving))) return false;
  // A worker may have claimed a stage while the drain ended.
  if ((await busy(moving)).stages) return false;
  // @protects moved-changes
  if (!(await drainFeed(moving))) return false;
  const closedAt = await note(moving, 'closed');
  return inTime(arrives(moving, closedAt, CATCH_UP_MS));
}

/** @returns whether the store is still closed: an import may have written its row. */
async function waitForWriters({ source, storeId }: Moving): Promise<boolean> {
  const sql = `/* moves.wait */ SELECT FROM stores WHERE id = $1 AND status = 'MOVING' FOR UPDATE`;
  return (await source.query(sql, [storeId])).length > 0;
}

const NUMBER = '/* moves.number */ SELECT number_changes($1) AS moved';
const LOCK_FOLDING = `/* moves.lock_folding */ SELECT pg_advisory_xact_lock(hashtext('list_tally_changes'), $1)`;
const FOLD = '/* moves.fold */ SELECT fold_list_tally_changes_of($1) AS folded';
const LEFT = `/* moves.left_changes */
  SELECT EXISTS (SELECT FROM change_log WHERE store_id = $1) OR EXISTS (SELECT FROM shared_changes WHERE store_id = $1)
    OR EXISTS (SELECT FROM list_tally_changes WHERE store_id = $1) AS "isLeft"`;

/** Empties the logs whose ids mean nothing in another cluster: it assigns positions to changes, and counts them. */
async function drainFeed({ source, storeId }: Moving): Promise<boolean> {
  const giveUpAt = performance.now() + NUMBERING_MS;
  for (;;) {
    const rows = await source.query<{ moved: number | null }>(NUMBER, [storeId]);
    if (rows[0]?.moved === 0) break;
    if (performance.now() > giveUpAt) return false;
    if (rows[0]?.moved === null) await sleep(5);
  }
  const fold = () =>
    source.transaction(null, async (sql) => {
      await sql.query(LOCK_FOLDING, [storeId]);
      return (await sql.query<{ folded: number }>(FOLD, [storeId]))[0]?.folded;
    });
  while (await fold()) if (performance.now() > giveUpAt) return false;
  return !(await source.query<{ isLeft: boolean }>(LEFT, [storeId]))[0]?.isLeft;
}

async function compare({ source, storeId }: Moving, snapshot: Sql) {
  const [here, there] = await Promise.all([sumsOf(source, storeId), sumsOf(snapshot, storeId)]);
  const names = [...here.keys()];
  return {
    rows: names.reduce((sum, name) => sum + (here.get(name)?.rows ?? 0), 0),
    differences: names.filter((name) => JSON.stringify(here.get(name)) !== JSON.stringify(there.get(name))),
  };
}
