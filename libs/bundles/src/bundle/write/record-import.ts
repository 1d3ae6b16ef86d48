import { allNew, originOfRequest, type Sql } from '@app/infrastructure';
import type { Numbered } from './batch.js';
import { writtenByKind, type LineResult } from './import-counts.js';

/** Identifies the entry of an import in the audit of each store: later batches add to its counts. */
export interface ImportRun {
  readonly id: string;
  readonly at: Date;
}

const BEGIN = '/* import.begin */ SELECT gen_random_uuid() AS id, clock_timestamp()::timestamptz(3) AS at';

const RECORD = `/* import.record */
  INSERT INTO audit_events AS entry (store_id, at, id, actor_type, actor_id, actor_name, action, subject_kind, subject_id,
    subject_name, changes)
  SELECT id, $2, $3, $4, $5, $6, 'import.written', 'import', '', '', $7 FROM stores WHERE subdomain = $1
  ON CONFLICT (store_id, at, id) DO UPDATE SET changes = (
    SELECT jsonb_object_agg(kind, jsonb_build_array(NULL, lines)) FROM (
      SELECT key AS kind, sum((value ->> 1)::bigint) AS lines
      FROM (SELECT * FROM jsonb_each(entry.changes) UNION ALL SELECT * FROM jsonb_each(excluded.changes)) AS part
      GROUP BY key
    ) AS summed)`;

export async function beginImport(sql: Sql): Promise<ImportRun> {
  return (await sql.query<ImportRun>(BEGIN))[0] as ImportRun;
}

/** Adds what a batch has written to the audit of its stores. @param sql the transaction of the batch. */
export async function recordImport(
  sql: Sql,
  { id, at }: ImportRun,
  lines: readonly Numbered[],
  results: readonly LineResult[],
): Promise<void> {
  const storeOf = new Map(
    lines.map(({ number, line }) => [number, line.kind === 'store' ? line.subdomain : line.store]),
  );
  const { actor } = originOfRequest(null);
  for (const store of new Set(storeOf.values())) {
    const counts = writtenByKind(results.filter(({ number }) => storeOf.get(number) === store));
    if (Object.keys(counts).length === 0) continue;
    const changes = JSON.stringify(allNew(counts));
    await sql.query(RECORD, [store, at, id, actor.type, actor.id, actor.name, changes]);
  }
}
