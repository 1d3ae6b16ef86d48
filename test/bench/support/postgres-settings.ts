/**
 * What an operator sets on a small server with an SSD; the rest is PostgreSQL's own default, durability included
 * (fsync, synchronous_commit and full_page_writes are on).
 */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  maintenance_work_mem: '256MB',
  // Checkpoints come by time, not because the log is full.
  max_wal_size: '4GB',
  random_page_cost: '1.1',
};
