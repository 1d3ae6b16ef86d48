import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../support/seeded-random.js';
import { isDeepStrictEqual } from 'node:util';
import { orderOf, receiptOf } from './driver/driver.js';
import { spreadOf, type Spread } from './report.js';
import { SIDES, type Scene, type Side } from './scene.js';
import type { Goals, Workload } from './works.js';

export interface Plan {
  readonly warmUpSeconds: number;
  readonly rounds: number;
  readonly seconds: number;
}

export interface Speed {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU milliseconds of the server and of PostgreSQL per answer; `null` when not measurable. */
  readonly cpu: number | null;
  /** Bytes of write-ahead log per answer, including full-page images; `null` for reads. */
  readonly wal: number | null;
}

/** The result of one workload: every figure is the median of the rounds. */
export interface WorkRow {
  readonly name: string;
  readonly title: string;
  readonly service: Speed;
  readonly bare: Speed & { readonly ratio: Spread; readonly cpuRatio: Spread | null };
  readonly goals: Goals;
}

const SAMPLES = 8;
/** Keeps requests that are still in progress at the end of a round out of the next one. */
const PAUSE_MS = 100;

/** @throws Error when an answer is wrong or missing: then there is nothing to measure. */
export async function measure(scene: Scene, work: Workload, plan: Plan, seed: number): Promise<WorkRow> {
  const { name, title, goals } = work;
  await compare(scene, work, seededRandom(seed));
  let turn = 0;
  const drive = (side: Side, seconds: number) => driveOnce(scene, work, side, seconds, seed + ++turn);
  for (const side of SIDES) await drive(scene.sides[side], plan.warmUpSeconds);
  const loads: Record<(typeof SIDES)[number], Speed[]> = { service: [], bare: [] };
  for (let round = 0; round < plan.rounds; round++) {
    for (const side of SIDES) loads[side].push(await drive(scene.sides[side], plan.seconds));
  }
  const [service, bare] = [medianOf(loads.service), medianOf(loads.bare)];
  const ratioOf = (figure: 'perSecond' | 'cpu') =>
    spreadOf(loads.bare.map((load, round) => (loads.service[round]?.[figure] ?? NaN) / (load[figure] ?? NaN)));
  const ratios = { ratio: ratioOf('perSecond'), cpuRatio: bare.cpu === null ? null : ratioOf('cpu') };
  return { name, title, service, bare: { ...bare, ...ratios }, goals };
}

async function driveOnce(
  scene: Scene,
  work: Workload,
  { url, pid }: Side,
  seconds: number,
  seed: number,
): Promise<Speed> {
  const { connections } = work;
  const requests = work.requests(scene.shop);
  const [log, cpu] = [await writtenLog(scene), scene.cpuTime.of(pid)];
  const load = await scene.drive({ url, connections, seconds, requests, seed });
  await delay(PAUSE_MS);
  const [logAfter, cpuAfter] = [await writtenLog(scene), scene.cpuTime.of(pid)];
  const { answered, failures, ...speed } = load;
  if (answered === 0 || Object.keys(failures).length > 0) throw new Error(`${work.name}: ${JSON.stringify(load)}`);
  return {
    ...speed,
    cpu: cpu === null || cpuAfter === null ? null : (cpuAfter - cpu) / answered,
    wal: requests.kind === 'reads' ? null : (logAfter - log) / answered,
  };
}

async function writtenLog({ database }: Scene): Promise<number> {
  const [row] = await database.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
  return Number(row?.bytes);
}

function medianOf(loads: readonly Speed[]): Speed {
  const of = (figure: keyof Speed) => spreadOf(loads.map((load) => load[figure] ?? NaN)).median;
  const orNull = (value: number) => (Number.isNaN(value) ? null : value);
  const [perSecond, p50, p99] = [of('perSecond'), of('p50'), of('p99')];
  return { perSecond, p50, p99, cpu: orNull(of('cpu')), wal: orNull(of('wal')) };
}

async function compare({ shop, sides }: Scene, work: Workload, random: (below: number) => number): Promise<void> {
  const requests = work.requests(shop);
  for (let n = 0; n < SAMPLES; n++) {
    const { path, body } = sampleOf(requests, random);
    const answers: unknown[] = [];
    for (const side of SIDES) answers.push(await answerOf(sides[side].url + path, shop.key, body));
    if (isDeepStrictEqual(answers[0], answers[1])) continue;
    const texts = answers.map((answer, side) => `${SIDES[side]}: ${JSON.stringify(answer)}`);
    throw new Error(`${work.name}: ${path} has different answers:\n${texts.join('\n')}`);
  }
}

function sampleOf(
  requests: ReturnType<Workload['requests']>,
  random: (below: number) => number,
): { readonly path: string; readonly body?: object } {
  if (requests.kind === 'reads') return { path: requests.paths[random(requests.paths.length)] ?? '' };
  if (requests.kind === 'receipts') return { path: '/v1/stock', body: receiptOf(requests, random) };
  return { path: '/v1/orders', body: orderOf(requests, 'compare', random(2 ** 30), random) };
}

/** Returns an answer with the lengths of the generated ids instead of the ids. @throws Error unless it is 2xx. */
async function answerOf(url: string, key: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  const { data, ...answer } = JSON.parse(text) as { readonly data: Record<string, unknown> };
  if (!body) return { ...answer, data };
  const { order_id, receipt_number } = data as { readonly order_id?: string; readonly receipt_number?: string };
  return { ...answer, data: { ...data, order_id: order_id?.length, receipt_number: receipt_number?.length } };
}
