import { AuditLog, MAX_LIMIT, type AuditEntry, type AuditFilter, type AuditPlace } from '@app/application';
import { Injectable } from '@nestjs/common';
import { Conditions } from '../lists/conditions.js';
import { inRange } from '../lists/time-range.js';
import { Database } from '../postgres/database.js';
import { ACTOR } from './record-audit.js';

type Row = Omit<AuditEntry, 'place'> & { readonly id: string };

@Injectable()
export class PostgresAuditLog extends AuditLog {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(
    storeId: number,
    { from, to, actor, action, subject }: AuditFilter,
    { limit, after }: { readonly limit: number; readonly after?: AuditPlace },
  ) {
    const where = new Conditions('store_id = ?', storeId);
    if (actor !== undefined) where.and(`${ACTOR} = ?`, actor);
    if (action !== undefined) where.and('action = lower(?)', action);
    if (subject !== undefined) where.and(`subject_id = ? AND subject_id <> ''`, subject);
    if (after) where.and('(at, id) < (?, ?)', after.at, after.id);
    const range = inRange('at', { from, to }, where);
    // The inner limit is a constant, so that the planner knows that a page reads few rows.
    const text = `/* audit.list */
      SELECT * FROM (
        SELECT id, at, json_build_object('type', actor_type, 'id', actor_id, 'name', actor_name) AS actor, address, action,
          json_build_object('kind', subject_kind, 'id', subject_id, 'name', subject_name) AS subject, changes
        FROM audit_events WHERE ${where.sql}${range} ORDER BY at DESC, id DESC LIMIT ${MAX_LIMIT + 1}
      ) AS page LIMIT ${where.bind(limit + 1)}`;
    // An index has the sequence of the list for one filter. With more, the statement reads all entries that it selects.
    const isSearch = [actor, action, subject].filter((each) => each !== undefined).length > 1;
    const rows = isSearch
      ? await this.database.search<Row>(text, where.values, { onePlan: true })
      : await this.database.queryPrepared<Row>(text, where.values);
    return { rows: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit };
  }
}

const toEntry = ({ id, ...row }: Row): AuditEntry => ({ ...row, place: { at: row.at, id } });
