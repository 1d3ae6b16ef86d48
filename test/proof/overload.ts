import { tmpdir } from 'node:os';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { Load, type Sample } from './overload/load.js';
import { HoldingsWatch } from './support/holdings.js';
import { askOracle } from './support/oracle.js';

import type { Proof, ProofContext, ProofOutcome } from './support/proof.js';
import { openStore } from './support/shop.js';
import { groupBy } from './support/group-by.js';

const CLIENTS = 64;
const WARM_UP_MS = 4_000;
const MAXIMUM_MS = 8_000;
const NORMAL_MS = 10_000;
const OVERLOAD_MS = 60_000;
const TIMES = 5;
/** A fraction of the maximum rate. */
const NORMAL_LOAD = 0.2;
const RECOVERY_MS = 10_000;
/** The time from sending to the complete answer, on a machine that also generates the load. */
const REFUSAL_LIMIT_MS = 1_000;
const SECOND = 1_000;

export const overload: Proof = {
  name: 'overload',
  // The quick form is test/e2e/overload.spec.ts.
  fullOnly: true,
  run,
};

async function run(context: ProofContext): Promise<ProofOutcome> {
  const shop = await openStore(context, 40, [1_000_000]);
  const logFile = path.join(tmpdir(), `store-commerce-overload-${process.pid}.log`);
  const service = await context.rig.startService({ logFile });
  const load = new Load(shop, service);
  try {
    await load.closedLoop(CLIENTS, WARM_UP_MS);
    const holdings = await HoldingsWatch.begin(service);
    const most = ((await load.closedLoop(CLIENTS, MAXIMUM_MS)).length / MAXIMUM_MS) * SECOND;
    const before = await load.openLoop(most * NORMAL_LOAD, NORMAL_MS);
    await load.connect();
    const storm = await load.openLoop(most * TIMES, OVERLOAD_MS);
    const ended = Date.now();
    const after = await load.openLoop(most * NORMAL_LOAD, RECOVERY_MS + NORMAL_MS);
    const normal = after.samples.filter(({ at }) => at >= ended + RECOVERY_MS);
    const violations = [
      ...faults([...before.samples, ...storm.samples, ...after.samples]),
      ...refusalViolations(storm.samples),
      ...recoveryViolations(before.samples, normal),
    ];
    load.close();
    violations.push(...(await holdings.violations(load.sent)));
    violations.push(...(await askOracle(shop, { services: [service] })));
    const { samples, unsent } = storm;
    const orders = samples.filter(({ isOrder }) => isOrder);
    const figures =
      `at most ${Math.round(most)} requests/s; of ${samples.length} (${unsent} more could not be sent) ` +
      `${samples.filter(isRefusal).length} refused, ${orders.filter(isServed).length} of ${orders.length} orders placed; ` +
      holdings.figures;
    if (violations.length === 0) rmSync(logFile);
    return { figures, violations };
  } finally {
    load.close();
  }
}

function faults(samples: readonly Sample[]): string[] {
  return [...new Set(samples.flatMap(({ fault }) => fault ?? []))].slice(0, 10);
}

function refusalViolations(storm: readonly Sample[]): string[] {
  const refusals = storm.filter(isRefusal);
  const violations = refusals.length === 0 ? ['nothing was refused: there was no overload'] : [];
  const late = p99(refusals);
  if (late > REFUSAL_LIMIT_MS) violations.push(`1 of 100 refusals took more than ${late} ms`);
  const placed = new Set(storm.filter((one) => one.isOrder && isServed(one)).map(({ at }) => Math.floor(at / 5_000)));
  const spans = OVERLOAD_MS / 5_000;
  if (placed.size < spans) violations.push(`orders were placed in only ${placed.size} of ${spans} spans of 5 s`);
  return violations;
}

/** Tolerates twice the usual latency plus a few milliseconds, because the latency varies by chance. */
function recoveryViolations(before: readonly Sample[], after: readonly Sample[]): string[] {
  const refused = after.filter((sample) => !isServed(sample)).length;
  const [usual, now] = [usualP99(before), usualP99(after)];
  return [
    ...(refused > 0 ? [`${refused} requests were not served 10 s after the overload`] : []),
    ...(now > 2 * usual + 20 ? [`p99 was ${usual} ms, and is ${now} ms 10 s after the overload`] : []),
  ];
}

function isServed({ status }: Sample): boolean {
  return status === 200 || status === 201;
}

function isRefusal({ status }: Sample): boolean {
  return status === 503 || status === 429;
}

function p99(samples: readonly Sample[]): number {
  const sorted = samples.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

/** The median of the p99 of each second: a single pause, perhaps of the load generator, is not typical. */
function usualP99(samples: readonly Sample[]): number {
  const seconds = groupBy(samples, ({ at }) => Math.floor(at / SECOND));
  const sorted = [...seconds.values()].map(p99).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
