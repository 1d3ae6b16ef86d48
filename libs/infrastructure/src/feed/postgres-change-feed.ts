import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApplicationError,
  CHANGE_KINDS,
  ChangeFeed,
  CursorExpired,
  Deadline,
  MAX_LIMIT,
  within,
  type Change,
  type ChangeKind,
  type FeedPage,
  type FeedPosition,
  type FeedQuery,
  type NewestPositions,
} from '@app/application';
import { DELETION_RETENTION_DAYS } from '@app/domain';
import { Injectable } from '@nestjs/common';
import { SharedReads } from '../lists/shared-reads.js';
import { Database } from '../postgres/database.js';
import { lastPositionBefore } from './last-position-before.js';
import { numberAllChangesOf, numberChangesOf, OTHER_WRITER_POLL_MS, NUMBER_ALL_TIMEOUT_MS } from './number-changes.js';
import { hasUnnumberedChanges } from './waiting-changes.js';

/**
 * How long a read waits for a numbering. The commit of the numbering may wait for a disk, or for a standby that hangs.
 */
const NUMBERING_MS = 500;
/**
 * The pause after an empty page when more changes wait: they are being numbered, or cannot be numbered at the moment.
 */
const EMPTY_PAGE_MS = 200;

interface PageRow {
  readonly branch: string;
  readonly purged: number;
  readonly newest: number;
  readonly lost: boolean;
  /** Is null when the page is empty. */
  readonly position: number | null;
  readonly kind: ChangeKind;
  readonly id: string;
  readonly at: Date;
}

// The statement reads one snapshot: the page, and whether the reader may continue from its position. The check is
// materialised; otherwise PostgreSQL repeats it for each row of the page. A constant limit for each kind makes the
// planner expect few rows. Values that come from another query are hidden from the planner: with them it would estimate
// less work than without, and plan every page again, which takes longer than reading it.
const PAGE = `/* changes.page */
  WITH asked AS MATERIALIZED (
    SELECT $1::int AS store_id, $2::change_kind[] AS kinds, $3::bigint AS position, $5::uuid AS branch
  ), state AS MATERIALIZED (
    SELECT current.id AS branch,
      coalesce((SELECT max(through) FROM purged_changes WHERE store_id = $1 AND kind = ANY (asked.kinds)), 0) AS purged,
      newest.position AS newest,
      asked.branch IS NOT NULL AND (own.number IS NULL OR asked.position > newest.position
        /* @protects unknown-store */
        OR own.id <> current.id AND asked.position > coalesce(fork.position, 0)) AS lost
    FROM asked CROSS JOIN (SELECT id FROM change_branches ORDER BY number DESC LIMIT 1) AS current
    CROSS JOIN (SELECT newest_change($1, enum_range(NULL::change_kind)) AS position) AS newest
    LEFT JOIN change_branches AS own ON own.id = asked.branch
    LEFT JOIN change_forks AS fork ON fork.store_id = $1 AND fork.branch = own.number
  )
  SELECT state.*, page.*
  FROM state
  LEFT JOIN LATERAL (
    SELECT part.* FROM asked CROSS JOIN unnest(asked.kinds) AS wanted (kind)
    CROSS JOIN LATERAL (
      SELECT position, kind, entity AS id, changed_at AS at FROM changes
      WHERE changes.store_id = asked.store_id AND changes.kind = wanted.kind AND changes.position > asked.position
      ORDER BY position LIMIT ${MAX_LIMIT + 1}
    ) AS part
    ORDER BY position LIMIT $4
  ) AS page ON true
  ORDER BY page.position`;

// A start by time is possible while no deletion after it is purged. For an earlier time, the page refuses the place if
// a purged deletion follows it.
const START = `/* changes.start */
  SELECT (SELECT id FROM change_branches ORDER BY number DESC LIMIT 1) AS branch,
    ${lastPositionBefore('$2::timestamptz')} AS position,
    CASE WHEN $2::timestamptz < now() - interval '${DELETION_RETENTION_DAYS} days' THEN 0 ELSE coalesce((
      SELECT max(through) FROM purged_changes WHERE store_id = $1 AND kind = ANY ($3::change_kind[])), 0) END AS base`;

const WAITING = `/* changes.waiting */ SELECT ${hasUnnumberedChanges('$1')} AS waiting`;

const NEWEST = `/* changes.newest */
  SELECT wanted.store_id, kind, newest_change(wanted.store_id, ARRAY[kind]) AS position
  FROM unnest($1::int[]) AS wanted (store_id) CROSS JOIN unnest(enum_range(NULL::change_kind)) AS kind`;

@Injectable()
export class PostgresChangeFeed extends ChangeFeed {
  // Requests that arrive together share the numbering of their store.
  private readonly numberings = new SharedReads<boolean | null>(
    async (storeId) => [await this.numberOnce(storeId)],
    () => '',
  );

  constructor(private readonly database: Database) {
    super();
  }

  override async read(storeId: number, query: FeedQuery): Promise<FeedPage> {
    const numbering = query.after === 'end' ? this.numberAll(storeId) : this.number(storeId);
    const waiting = (await numbering) ?? (await this.isWaiting(storeId));
    const page = await this.page(storeId, query, await this.placeOf(storeId, query));
    if (!waiting) return page;
    // Without this pause, the reader of an empty page would poll in a tight loop.
    if (page.changes.length === 0) await sleep(EMPTY_PAGE_MS);
    return { ...page, hasMore: true };
  }

  override async catchUp(storeId: number): Promise<void> {
    const deadline = Deadline.in(NUMBERING_MS);
    // There may be more changes than one batch, and another numbering transaction may have started before they were
    // committed.
    for (;;) {
      const isMore = await this.number(storeId);
      if (isMore === false || deadline.remainingMs <= 0) return;
      if (isMore === null) await sleep(OTHER_WRITER_POLL_MS);
    }
  }

  override async newest(storeIds: readonly number[]): Promise<NewestPositions> {
    for (const storeId of storeIds) await this.number(storeId);
    const rows = await this.database.queryPrepared<{ store_id: number; kind: ChangeKind; position: number }>(NEWEST, [
      storeIds,
    ]);
    const none = Object.fromEntries(CHANGE_KINDS.map((kind) => [kind, 0])) as Record<ChangeKind, number>;
    const newest = new Map(storeIds.map((storeId) => [storeId, { ...none }]));
    for (const { store_id: storeId, kind, position } of rows) {
      const positions = newest.get(storeId);
      if (positions) positions[kind] = position;
    }
    return newest;
  }

  /** @returns whether changes of the store wait for another numbering; null when that is unknown. */
  private number(storeId: number): Promise<boolean | null> {
    return this.orUnknown(within(NUMBERING_MS, this.numberings.find(storeId, '')));
  }

  /** A failed or slow numbering does not fail the read. */
  private async orUnknown(numbering: Promise<boolean | null | undefined>): Promise<boolean | null> {
    try {
      return (await numbering) ?? null;
    } catch (error) {
      if (error instanceof ApplicationError) return null;
      throw error;
    }
  }

  /**
   * Numbers all changes for a reader who starts at the end. Changes that still wait get positions after its place, and
   * the page says that there are more.
   */
  private numberAll(storeId: number): Promise<boolean | null> {
    const work = numberAllChangesOf(this.numberAlone, storeId, Deadline.in(NUMBER_ALL_TIMEOUT_MS));
    return this.orUnknown(within(NUMBER_ALL_TIMEOUT_MS + NUMBERING_MS, work));
  }

  private async isWaiting(storeId: number): Promise<boolean> {
    const [row] = await this.database.queryPrepared<{ waiting: boolean }>(WAITING, [storeId]);
    return row?.waiting === true;
  }

  // Numbering uses a connection of its own: it writes, and other reads must not wait for its commit.
  private readonly numberAlone = (text: string, values: unknown[]) =>
    this.database.queryPrepared<{ moved: number | null }>(text, values, { isAlone: true });

  private numberOnce(storeId: number): Promise<boolean | null> {
    return numberChangesOf(this.numberAlone, storeId);
  }

  private async placeOf(storeId: number, { after, kinds }: FeedQuery): Promise<FeedPosition | null> {
    if (after !== 'end' && !(after instanceof Date)) return after;
    const time = after === 'end' ? 'infinity' : after;
    const [place] = await this.database.queryPrepared<FeedPosition>(START, [storeId, time, kinds]);
    return place ?? null;
  }

  private async page(storeId: number, query: FeedQuery, after: FeedPosition | null): Promise<FeedPage> {
    const { kinds, limit, bulk } = query;
    const position = after?.position ?? 0;
    const values = [storeId, kinds, position, limit + 1, after?.branch ?? null];
    const rows = bulk
      ? await this.database.search<PageRow>(PAGE, values, { onePlan: true })
      : await this.database.queryPrepared<PageRow>(PAGE, values);
    const [state] = rows;
    if (!state) {
      // The first numbering of the database is not committed yet. It begins the first branch, and other numberings wait
      // for it.
      await this.numberOnce(storeId);
      return this.page(storeId, query, after);
    }
    if (after && state.lost) return { ...(await this.page(storeId, query, null)), rewound: true };

    const base = after?.base ?? state.purged;
    if (state.purged > Math.max(position, base)) throw new CursorExpired();
    const found = rows.flatMap(({ position: place, kind, id, at }): Change[] =>
      place === null ? [] : [{ kind, id, position: place, at }],
    );
    const changes = found.slice(0, limit);
    const hasMore = found.length > limit;
    // The remaining changes are of kinds that the reader did not request, so its position moves past them.
    const last = hasMore ? changes.at(-1)?.position : state.newest;
    const next = { branch: state.branch, position: Math.max(position, last ?? 0), base };
    return { changes, next, hasMore, rewound: false };
  }
}
