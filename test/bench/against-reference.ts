import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Rig } from '../proof/support/rig.js';
import { measure, type WorkRow } from './measure.js';
import { POSTGRES_SETTINGS, printRun } from './report.js';
import { measureRest } from './rest.js';
import { openScene } from './scene.js';
import { benchTable } from './tables.js';
import { WORKS } from './works.js';

// Measures the service against the least code that can answer the same requests, on one server:
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

const say = (text: string) => process.stderr.write(`${text}\n`);
const rig = await Rig.open(POSTGRES_SETTINGS);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void rig.close().finally(() => process.exit(130)));
}
try {
  const scene = await openScene(rig, orders, seed, say);
  const rows: WorkRow[] = [];
  const rest = rests ? await measureRest(scene) : [];
  for (const work of works) {
    say(`${work.name}: ${work.title}`);
    rows.push(await measure(scene, work, plan, seed));
  }
  await printRun(rig.database, method, benchTable([...rows, ...rest]));
} finally {
  await rig.close();
}
// Ends the clients and the reference.
process.exit();
