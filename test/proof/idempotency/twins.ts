import type { Exchange } from '../support/history.js';
import { anyItem, type Shop } from '../support/shop.js';
import { inParallel, orderBody, type OrderBody } from '../support/store-setup.js';
import { STALLED } from './slow-commits.js';

const AT_ONCE = 4;

interface TwinRace {
  readonly keys: number;
  /** Number of keys whose first order is so slow that its twins get 409. */
  readonly stalled: number;
  readonly twins: number;
}

/** For every fourth key, half of the twins send another body: either may win, and the other is refused. */
export async function raceTwins(shop: Shop, race: TwinRace): Promise<string[]> {
  const violations: string[] = [];
  await inParallel(AT_ONCE, Array(race.keys).keys(), async (n) => {
    const key = n < race.stalled ? `${STALLED}-twins-${n}` : `twins-${n}`;
    const bodyOf = (quantity: number) => orderBody([{ ...anyItem(shop), quantity }], key);
    const bodies = n % 4 === 0 ? [bodyOf(1), bodyOf(2)] : [bodyOf(1)];
    const sent = Array.from({ length: race.twins }, (_, twin) => bodies[twin % bodies.length] as OrderBody);
    violations.push(...(await raceForKey(shop, key, sent)).map((text) => `${key}: ${text}`));
  });
  return violations;
}

async function raceForKey({ buyers, services }: Shop, key: string, sent: readonly OrderBody[]): Promise<string[]> {
  const answers = await Promise.all(sent.map((body) => buyers.insist(services, body, { key })));

  const violations: string[] = [];
  const winner = JSON.parse(answers.find(({ status }) => status === 201)?.body ?? '{}') as Partial<OrderBody>;
  for (const [n, body] of sent.entries()) {
    const { status } = answers[n] as Exchange;
    const expected = body.notes === winner.notes ? 201 : 422;
    if (status !== expected) violations.push(`twin ${n} was answered ${status}, not ${expected}`);
  }
  const placed = answers.filter(({ status }) => status === 201);
  const first = placed.filter(({ headers }) => !headers['idempotent-replayed']);
  // When a COMMIT takes too long, the first twin gets 503, and later learns its order like the others.
  const mayBeNone = key.startsWith(STALLED);
  if (first.length !== 1 && !(mayBeNone && first.length === 0))
    violations.push(`${first.length} twins got the response of a first request`);
  if (placed.some(({ bytes }) => !placed[0]?.bytes.equals(bytes))) violations.push('twins got different orders');

  for (const service of services) {
    const changed = { ...winner, customer: { ...winner.customer, city: 'Shelbyville' } };
    const refusal = await buyers.insist([service], changed, { key });
    if (refusal.status !== 422) violations.push(`a changed body was answered ${refusal.status}`);
    const replay = await buyers.insist([service], winner, { key });
    const isReplay = replay.status === 201 && replay.headers['idempotent-replayed'] === 'true';
    if (!isReplay || !placed[0]?.bytes.equals(replay.bytes)) violations.push('the replay differs');
  }
  return violations;
}
