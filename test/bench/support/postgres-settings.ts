/**
 * An operator's settings for a small server with an SSD. All others are PostgreSQL's defaults, including durability
 * (fsync, synchronous_commit and full_page_writes are on).
 */
export const POSTGRES_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  maintenance_work_mem: '256MB',
  // Checkpoints are triggered by time, not by a full log.
  max_wal_size: '4GB',
  random_page_cost: '1.1',
};
