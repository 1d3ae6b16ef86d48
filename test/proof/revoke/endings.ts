import { credentialOf } from '../support/credential.js';
import type { Shop } from '../support/shop.js';

/** A key or a session in use, and how it ends. */
export interface Ending {
  readonly secret: string;
  /** Resolves once the end is committed. */
  readonly end: () => Promise<unknown>;
  /** Whether reads continue: only orders are refused. */
  readonly mayRead?: boolean;
}

const endKey = (statement: string) => async (shop: Shop) => {
  const { store, context } = shop;
  const secret = await store.createKey();
  const id = await newestKey(shop);
  return { secret, end: () => context.rig.database.query(statement, [store.id, id]) };
};

/** An owner ends the session at one of the processes. @param path the path of the person and of the session. */
const endSession =
  (method: string, path: (person: string, session: string) => string, body?: object) =>
  async (shop: Shop): Promise<Ending> => {
    const { store, services } = shop;
    const owner = await store.session('owner');
    const { id, secret } = await store.session('manager');
    const url = `${services[0].url}/v1/people/${path(id, await newestKey(shop))}`;
    const headers = { ...credentialOf(owner.secret), 'content-type': 'application/json' };
    const end = async () => {
      const { status } = await fetch(url, { method, headers, body: JSON.stringify(body ?? {}) });
      if (status !== 200) throw new Error(`${method} ${path('PERSON', 'SESSION')} was answered ${status}`);
    };
    return { secret, end, mayRead: body !== undefined };
  };

export const ENDINGS: readonly ((shop: Shop) => Promise<Ending>)[] = [
  endKey(`UPDATE api_keys SET status = 'REVOKED' WHERE store_id = $1 AND id = $2`),
  endKey(`UPDATE api_keys SET status = 'DEACTIVATED' WHERE store_id = $1 AND id = $2`),
  endKey(`UPDATE api_keys SET expires_at = now() WHERE store_id = $1 AND id = $2`),
  endKey(`DELETE FROM api_keys WHERE store_id = $1 AND id = $2`),
  endSession('DELETE', (person) => person),
  endSession('DELETE', (person, session) => `${person}/sessions/${session}`),
  endSession('PATCH', (person) => person, { role: 'viewer' }),
];

export async function newestKey({ context, store }: Shop): Promise<string> {
  const [row] = await context.rig.database.query<{ id: string }>(
    'SELECT id FROM api_keys WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1',
    [store.id],
  );
  return row?.id ?? '';
}
