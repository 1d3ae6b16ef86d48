import type { DatabaseGauge } from './database-gauge.js';

/** Measures the WAL that the server keeps for standbys and other readers. A slot that has lost its WAL retains none. */
export const SLOT_GAUGE: DatabaseGauge = {
  name: 'database_slot_retained_bytes',
  help: 'WAL that a replication slot retains; the status unreserved or lost means that its standby may lack WAL',
  labelNames: ['slot', 'wal_status'],
  statement: `/* wal.slots */
    SELECT slot_name AS slot, coalesce(wal_status, 'none') AS wal_status,
      coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 AS value
    FROM pg_replication_slots`,
};
