import { CommitOutcomeUnknown } from '@app/application';
import type pg from 'pg';
import type { DatabaseMetrics, UnknownCommitReason } from './database-metrics.js';
import { isConnectionLost } from './postgres-errors.js';

/**
 * With synchronous replication, a cancelled COMMIT reports success and this warning: the transaction is committed on
 * the primary and may be lost in a failover. The SQLSTATE is that of every warning without a code of its own, and the
 * text depends on `lc_messages`. The service's own statements raise no warning, so at the end of a transaction any
 * warning with this code counts as a cancelled wait.
 */
const WARNING = '01000';

/** An SQL condition: whether a commit of this session waits for standbys. A configuration reload may change it. */
export const WAITS_FOR_STANDBYS = `(current_setting('synchronous_standby_names') <> ''
  AND current_setting('synchronous_commit') NOT IN ('local', 'off'))`;

/** Makes the server send the warning in a transaction even if the role's `client_min_messages` would hide it. */
export const SHOW_WARNINGS = `SET LOCAL client_min_messages = warning`;

/**
 * Where a commit waits for standbys, makes the end of the transaction wait until they have everything committed before.
 * A transaction that writes nothing to the WAL does not wait otherwise. Nothing reads the message. A server in recovery
 * refuses the transaction id with the code of a read-only transaction, but the message with that of a defect.
 */
export const WAIT_FOR_STANDBYS = `/* standbys.wait */
  SELECT CASE WHEN ${WAITS_FOR_STANDBYS} THEN pg_logical_emit_message(true, 'store-commerce', pg_current_xact_id()::text) END`;

class WaitForStandbysCancelled extends Error {
  readonly code = WARNING;

  constructor() {
    super('The wait for the standby was cancelled: the transaction may be lost in a failover');
  }
}

/**
 * Runs the end of a transaction, which may be sent together with its last statements. Every commit uses it.
 * @param metrics counts the unknown outcomes; null in a command, which serves no metrics.
 * @throws CommitOutcomeUnknown when the connection was lost, or the server cancelled the wait for its standbys.
 */
export async function commitConfirmed<T>(
  client: pg.ClientBase,
  end: () => Promise<T>,
  metrics: DatabaseMetrics | null,
): Promise<T> {
  const unknown = (reason: UnknownCommitReason, cause: unknown) => {
    metrics?.countUnknownCommit(reason);
    return new CommitOutcomeUnknown(cause);
  };
  let isCancelled = false;
  // @protects cancelled-wait
  const onNotice = ({ code }: { code?: string | undefined }) => void (isCancelled ||= code === WARNING);
  client.on('notice', onNotice);
  const answer = await end()
    .catch((error: unknown) => {
      throw isConnectionLost(error) ? unknown('connection', error) : error;
    })
    .finally(() => client.off('notice', onNotice));
  if (isCancelled) throw unknown('standby', new WaitForStandbysCancelled());
  return answer;
}
