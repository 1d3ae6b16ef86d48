import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Rig } from '../proof/support/rig.js';
import { measure, type Speed, type WorkRow } from './measure.js';
import { POSTGRES_SETTINGS, printRun, spreadOf, spreadText, verdictOf } from './report.js';
import { openScene, type Scene } from './scene.js';
import { WORKS } from './works.js';

// npm run bench -- [--quick] [--only rest,W1,W3] [--seed N]

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const all = ['rest', ...WORKS.map(({ name }) => name)];
const names = (values.only ?? all.join()).toLowerCase().split(',');
const works = WORKS.filter(({ name }) => names.includes(name.toLowerCase()));
const rests = names.includes('rest');
if (works.length + Number(rests) !== names.length) throw new Error(`--only takes ${all.join()}`);
const [orders, plan] = values.quick
  ? [20_000, { warmUpSeconds: 0.4, rounds: 3, seconds: 0.5 }]
  : [100_000, { warmUpSeconds: 3, rounds: 5, seconds: 4 }];
const method =
  `A store of ${orders.toLocaleString('en')} orders, a tenth as many products and half as many customers, next to nine of ` +
  `a tenth of its size; each figure the median of ${plan.rounds} rounds of ${plan.seconds} s, the sides in turn; seed ${seed}.`;

const STARTS = 7;
const PATHS = ['/v1/store', '/v1/products', '/v1/orders', '/v1/products?search=mug'];
const HEAD = ['work', 'service', 'bare reference', 'ratio (min–max)', 'goal', 'ratio of CPU time (min–max)', 'goal'];

const say = (text: string) => process.stderr.write(`${text}\n`);
const rig = await Rig.open(POSTGRES_SETTINGS);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void rig.close().finally(() => process.exit(130)));
}
try {
  const scene = await openScene(rig, orders, seed, say);
  const rows: string[][] = [];
  const rest = rests ? await measureRest(scene) : [];
  for (const work of works) {
    say(`${work.name}: ${work.title}`);
    rows.push(rowOf(await measure(scene, work, plan, seed)));
  }
  await printRun(rig.database, method, [HEAD, ...rows, ...rest]);
} finally {
  await rig.close();
}
// Ends the clients and the reference.
process.exit();

function rowOf({ name, title, service, bare, goals: [atLeast, atMost] }: WorkRow): string[] {
  const { ratio, cpuRatio } = bare;
  const speeds = [speedText(service), speedText(bare), spreadText(ratio), verdictOf(ratio.median, { atLeast })];
  const cpu = cpuRatio === null ? '–' : spreadText(cpuRatio);
  return [`${name}: ${title}`, ...speeds, cpu, verdictOf(cpuRatio?.median ?? NaN, atMost ? { atMost } : null)];
}

function speedText({ perSecond, p50, p99, cpu, wal }: Speed): string {
  const log = wal === null ? '' : `, ${(wal / 1_000).toFixed(1)} kB of log`;
  return `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cpu?.toFixed(2) ?? '–'} ms of CPU${log}`;
}

async function measureRest(scene: Scene): Promise<string[][]> {
  const times: number[] = [];
  const megabytes: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const from = performance.now();
    const service = await scene.start();
    times.push(performance.now() - from);
    for (const path of PATHS) {
      const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${scene.shop.key}` } });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
    }
    megabytes.push((service.memory ?? NaN) / 1e6);
    await service.kill();
  }
  const row = (title: string, values: readonly number[], atMost: number, unit: string) => {
    const found = spreadOf(values);
    return [title, spreadText(found, unit), '–', '–', verdictOf(found.median, { atMost }, unit), '–', '–'];
  };
  return [
    row('S1: from the start of the process to the first 200 of /health/ready', times, 1_200, ' ms'),
    row('S2: resident memory after a few requests', megabytes, 130, ' MB'),
  ];
}
