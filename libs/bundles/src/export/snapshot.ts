import { NotFound, type Currency } from '@app/domain';
import { withOwnClient } from '@app/infrastructure';
import type pg from 'pg';

export interface StoreSnapshot {
  readonly client: pg.Client;
  readonly storeId: number;
  readonly subdomain: string;
  readonly currency: Currency;
  readonly takenAt: Date;
}

const BEGIN = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`;

const FIND_STORE = `/* export.find_store */
  SELECT id AS "storeId", subdomain, currency, now() AS "takenAt" FROM stores WHERE subdomain = $1`;

/** Blocks no other process. @throws NotFound */
export function inSnapshot<T>(
  url: string,
  subdomain: string,
  work: (snapshot: StoreSnapshot) => Promise<T>,
): Promise<T> {
  return withOwnClient(url, 'store-commerce-export', async (client) => {
    await client.query(BEGIN);
    const { rows } = await client.query<Omit<StoreSnapshot, 'client'>>(FIND_STORE, [subdomain]);
    const [store] = rows;
    if (!store) throw new NotFound(`Store ${subdomain}`);
    const result = await work({ client, ...store });
    await client.query('COMMIT');
    return result;
  });
}
