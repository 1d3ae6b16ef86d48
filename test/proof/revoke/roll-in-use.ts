import { setTimeout as delay } from 'node:timers/promises';
import { operate } from '../support/cli.js';
import type { Shop } from '../support/shop.js';
import { isRefused, isServed, told, unusedProcesses, useKey } from './use-key.js';

/** The overlap is long enough for a second roll. */
const OVERLAP_MS = 5_000;

export async function rollInUse(
  shop: Shop,
  old: { readonly id: string; readonly key: string },
  { clients, afterMs }: { readonly clients: number; readonly afterMs: number },
): Promise<string[]> {
  const { context, services } = shop;
  const useOfOld = useKey(shop, old.key, clients);
  await useOfOld.served();
  const roll = () =>
    operate<{ id: string; key: string; replaces: { expires_at: string } }>(
      context.rig.database.url,
      ...['keys', 'roll', old.id, '--overlap', `${OVERLAP_MS / 1_000}s`],
    );
  const { id: successorId, key, replaces } = await roll();
  const end = Date.parse(replaces.expires_at);
  const useOfNew = useKey(shop, key, clients);
  // An operator who has lost the answer does the same.
  const refusal = await roll().then(
    () => null,
    (error: Error) => error.message,
  );
  await delay(end + afterMs - Date.now());
  const [former, successor] = await Promise.all([useOfOld.stop(), useOfNew.stop()]);
  const violations = successor
    .filter((exchange) => !isServed(exchange))
    .map((exchange) => `the successor of a key: ${told(exchange, end)}`);
  if (refusal === null) violations.push('a rolled key got a second successor');
  else if (!refusal.includes(successorId)) violations.push('the refusal of a second roll names no successor');
  // A request that began before the end may be looked up after it.
  const before = former.filter(({ at, tookMs }) => at + tookMs < end);
  const after = former.filter(({ at }) => at > end);
  for (const exchange of [...before.filter((one) => !isServed(one)), ...after.filter((one) => !isRefused(one))]) {
    violations.push(`a rolled key: ${told(exchange, end)}`);
  }
  for (const { pid } of unusedProcesses(services, before, after, successor)) {
    violations.push(`a rolled key or its successor was not used on process ${pid}`);
  }
  return violations;
}
