import type { ApiKeyLookup } from '@app/application';

// A person may lose a role, and a key its validity, after the request was admitted. The lock keeps both unchanged until
// the transaction ends: a revocation either comes first and refuses the change, or waits for it.
export const MAKER = `maker AS MATERIALIZED (
    SELECT FROM api_keys
    WHERE store_id = $1 AND id = $2 AND scope = $3 AND status = 'ACTIVE' AND (expires_at IS NULL OR expires_at > now())
    FOR SHARE
  )`;
export const MAKER_STANDS = '($2::uuid IS NULL OR EXISTS (SELECT FROM maker))';

/**
 * Returns the first parameters of a statement with `MAKER`. @param key the key of the request; null for the operator.
 */
export function makerValues(storeId: number, key: ApiKeyLookup | null): unknown[] {
  return [storeId, key?.id ?? null, key?.scope ?? null];
}
