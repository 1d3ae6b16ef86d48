import { parseArgs } from 'node:util';
import { Rig } from '../../proof/support/rig.js';
import { POSTGRES_SETTINGS, printRun, PRODUCTION, verdictOf } from '../report.js';
import { openScene } from '../scene.js';
import { FEED_READERS, MixtureClient, RATES } from './client.js';

// npm run bench -- mixture [--quick]: what a shop and its ERP send together, and the statements that cost most.

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } }, allowPositionals: true });
const [orders, seconds] = values.quick ? [20_000, 10] : [100_000, 100];
/** The goal for all statements, in 100 seconds. */
const GOAL_S = 16;
const SEED = 1;
const LISTED = 10;
const TEXT = 140;

const say = (text: string) => process.stderr.write(`${text}\n`);
const rig = await Rig.open({
  ...POSTGRES_SETTINGS,
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void rig.close().finally(() => process.exit(130)));
}
try {
  const { database, shop, sides, cpuTime } = await openScene(rig, orders, SEED, say);
  await database.query('CREATE EXTENSION pg_stat_statements');
  await rig.startWorker({ env: PRODUCTION });
  const client = new MixtureClient(sides.service.url, shop, SEED);
  say('Reading the feed');
  await client.catchUp();
  say('Warming up');
  await client.run(seconds / 10);
  await database.query('SELECT pg_stat_statements_reset()');
  const cpuBefore = cpuTime.of(sides.service.pid) ?? NaN;
  say(`Measuring for ${seconds} s`);
  await client.run(seconds);
  const cpu = ((cpuTime.of(sides.service.pid) ?? NaN) - cpuBefore) / 1_000;
  const { total, rows } = await costs();
  const rates = Object.entries(RATES).map(([kind, rate]) => `${kind} ${rate}`);
  const verdict = values.quick ? 'no goal' : verdictOf(total, { atMost: GOAL_S }, ' s');
  const method =
    `${seconds} s of ${rates.join(', ')} a second, ${FEED_READERS} readers of the feed and a worker, in a store of ` +
    `${orders.toLocaleString('en')} orders: ${total.toFixed(1)} s of statements (${verdict}), ${cpu.toFixed(1)} s of CPU ` +
    `time of the API and PostgreSQL. Answers: ${client.summary()}.`;
  await printRun(database, method, [
    ['statement', 'share', 'calls', 'mean of execution', 'plans', 'mean of planning', 'pages a call'],
    ...rows,
  ]);
} finally {
  await rig.close();
}
process.exit();

interface Cost {
  readonly text: string;
  readonly calls: number;
  readonly plans: number;
  readonly executing: number;
  readonly planning: number;
  readonly pages: number;
}

async function costs(): Promise<{ total: number; rows: string[][] }> {
  const found = await rig.database.query<Cost>(
    `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, calls::float8, plans::float8, total_exec_time AS executing,
       total_plan_time AS planning, (shared_blks_hit + shared_blks_read)::float8 AS pages
     FROM pg_stat_statements
     WHERE toplevel AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY total_exec_time + total_plan_time DESC`,
  );
  const total = found.reduce((sum, { executing, planning }) => sum + executing + planning, 0);
  const rows = found
    .slice(0, LISTED)
    .map(({ text, calls, plans, executing, planning, pages }) => [
      `\`${text.slice(0, TEXT).replaceAll('|', '¦')}\``,
      `${((100 * (executing + planning)) / total).toFixed(0)} %`,
      calls.toFixed(0),
      `${((1_000 * executing) / calls).toFixed(0)} µs`,
      plans.toFixed(0),
      plans === 0 ? '–' : `${((1_000 * planning) / plans).toFixed(0)} µs`,
      (pages / calls).toFixed(0),
    ]);
  return { total: total / 1_000, rows };
}
