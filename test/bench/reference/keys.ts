import { createHash } from 'node:crypto';
import type pg from 'pg';

const FIND = `
  SELECT store.id, store.currency
  FROM api_keys key JOIN stores store ON store.id = key.store_id
  WHERE key.key_hash = $1 AND key.status = 'ACTIVE' AND store.status = 'ACTIVE'
    AND (key.expires_at IS NULL OR key.expires_at > now())`;

export interface Store {
  readonly id: number;
  readonly currency: string;
}

/** Looks the key up once per request: a revoked key must stop working. */
export class Keys {
  constructor(private readonly pool: pg.Pool) {}

  async storeOf(authorization = ''): Promise<Store> {
    const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
    const { rows } = await this.pool.query<Store>({ name: 'key', text: FIND, values: [hash] });
    const [store] = rows;
    if (!store) throw Object.assign(new Error('Invalid API key'), { statusCode: 401 });
    return store;
  }
}
