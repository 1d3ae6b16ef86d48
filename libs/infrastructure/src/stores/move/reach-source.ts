import { errorCode } from '../../platform/error-code.js';
import { exists, HIDDEN, quoted, SHOWN, type Clusters } from './replication.js';

const PROBE_TIMEOUT_MS = 5_000;
const CONNECTION_FAILURE = '08006';
const QUERY_CANCELED = '57014';

const FOUND = `SELECT FROM pg_subscription_rel JOIN pg_subscription ON pg_subscription.oid = srsubid WHERE subname = $1`;

/**
 * Checks that the target's server reaches the source at the address, by looking for a publication that only the source
 * has. It uses no slot: a server that waits for a slot of its own would wait for ever. It leaves nothing behind.
 * @param cluster the identifier of the source's cluster.
 */
export async function faultsOfAddress({ source, target, address }: Clusters, cluster: string): Promise<string[]> {
  const name = `store_move_check_${cluster}`;
  const unpublish = `/* moves.unpublish_check */ DROP PUBLICATION IF EXISTS ${name}`;
  await source.query(unpublish);
  await source.query(`/* moves.publish_check */ CREATE PUBLICATION ${name} FOR TABLE store_moves`);
  try {
    // Whether a transaction is logged is decided when it begins.
    await target.query(HIDDEN);
    const isFound = await target.dryRun(async (sql) => {
      await sql.query(`SET LOCAL statement_timeout = ${PROBE_TIMEOUT_MS}`);
      await sql.query(
        `/* moves.subscribe_check */ CREATE SUBSCRIPTION ${name} CONNECTION ${quoted(address)} PUBLICATION ${name}
         WITH (enabled = false, create_slot = false, slot_name = NONE)`,
      );
      return exists(sql, FOUND, name);
    });
    return isFound ? [] : [unreached('it reaches another database')];
  } catch (error) {
    const code = errorCode(error);
    if (code === QUERY_CANCELED) return [unreached(`no answer within ${PROBE_TIMEOUT_MS / 1_000} s`)];
    if (code !== CONNECTION_FAILURE) throw error;
    return [unreached((error as Error).message)];
  } finally {
    await target.query(SHOWN);
    await source.query(unpublish);
  }
}

const unreached = (reason: string): string =>
  `The server of the target cannot reach the source at DATABASE_DIRECT_URL, or at DATABASE_URL if that is not set (for it, localhost is the target's own machine): ${reason}`;
