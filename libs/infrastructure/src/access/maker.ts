import type { ApiKeyLookup } from '@app/application';

// A person may lose a role, and a key its validity, after the request was admitted. The lock keeps both as they are until the
// transaction ends: what it changes is either changed before, or not at all.
export const MAKER = `maker AS MATERIALIZED (
    SELECT FROM api_keys
    WHERE store_id = $1 AND id = $2 AND scope = $3 AND status = 'ACTIVE' AND (expires_at IS NULL OR expires_at > now())
    FOR SHARE
  )`;
export const MAKER_STANDS = '($2::uuid IS NULL OR EXISTS (SELECT FROM maker))';

/** The first parameters of a statement with `MAKER`. @param key of the request; null for the operator. */
export function makerValues(storeId: number, key: ApiKeyLookup | null): unknown[] {
  return [storeId, key?.id ?? null, key?.scope ?? null];
}
