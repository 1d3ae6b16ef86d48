import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { poolViolations } from '../support/oracle/processes.js';
import { anyItem, type Shop } from '../support/shop.js';
import { orderBody } from '../support/store-setup.js';
import { SLOW } from './slow-commits.js';

/** The moment of the cut: before the COMMIT arrives, after it, or after it together with the whole database. */
const KINDS = ['cut', 'deliver and cut', 'outage'] as const;
const OUTAGE_MS = 250;
const POOL_SIZE = 4;

export async function cutCommits(shop: Shop, rounds: number) {
  const { context, store, buyers, services } = shop;
  const { rig, random } = context;
  const [direct] = services;
  const armed: { kind: (typeof KINDS)[number] | null } = { kind: null };
  let cuts = 0;
  let outage: Promise<void> = Promise.resolve();
  const proxy: TcpProxy = await startTcpProxy(rig.database.url, {
    onClientData: (chunk) => {
      const { kind } = armed;
      if (kind === null || !chunk.includes('COMMIT\0')) return 'pass';
      armed.kind = null;
      cuts++;
      if (kind === 'outage') outage = takeAway(proxy);
      return kind === 'outage' ? 'deliver and cut' : kind;
    },
  });
  const env = { DATABASE_POOL_SIZE: String(POOL_SIZE) };
  const service = await rig.startService({ databaseUrl: proxy.url, env });
  const violations: string[] = [];
  let orders = 0;
  try {
    for (let n = 0; n < rounds; n++) {
      const kind = KINDS[n % KINDS.length] ?? 'cut';
      const pace = random(2) === 0 ? SLOW : 'fast';
      // Without a key, only the service itself may retry, because it knows the order's id.
      const key = n % 4 === 3 ? null : `cut-${n}`;
      const name = `${pace}-${kind.replaceAll(' ', '-')}-${n}`;
      const body = { ...orderBody([anyItem(shop)], name), external_reference: name };
      armed.kind = kind;
      const first = await buyers.send(service, { body, key });
      if (key === null) {
        orders += await settledCount(shop, body.notes);
      } else {
        orders++;
        const answer =
          first.status === 201 ? first : await buyers.insist([service, direct], body, { key, hurry: true });
        if (answer.status !== 201) violations.push(`${name}: answered ${answer.status}`);
        const replay = await buyers.insist([direct], body, { key });
        if (!replay.bytes.equals(answer.bytes)) violations.push(`${name}: the replay differs`);
      }
      // The next round must test another cut, not the after-effects of this one.
      await outage;
    }
    violations.push(...(await poolViolations(rig.database, service, store, POOL_SIZE)));
  } finally {
    await service.kill();
    await proxy.close();
  }
  if (cuts !== rounds) violations.push(`${cuts} of ${rounds} COMMITs were cut`);
  return { violations, orders };
}

async function takeAway(proxy: TcpProxy): Promise<void> {
  // The cut must not come before the COMMIT was sent.
  await delay(1);
  proxy.cut();
  await delay(OUTAGE_MS);
  proxy.restore();
}

/** Orders with that marker, read once none of them can still be in progress. */
async function settledCount({ context: { rig }, store }: Shop, marker: string): Promise<number> {
  await delay(250);
  const rows = await rig.database.query('SELECT FROM orders WHERE store_id = $1 AND notes = $2', [store.id, marker]);
  return rows.length;
}
