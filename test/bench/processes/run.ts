import { parseArgs } from 'node:util';
import type { Service } from '../../proof/support/service.js';
import { hasFailures, type Load } from '../driver/job.js';
import { Cleanup } from '../support/cleanup.js';
import { readOptions } from '../support/options.js';
import { Scene } from '../support/scene.js';
import { median } from '../works/summary.js';
import type { Work } from '../works/works.js';

// How throughput changes with API processes and with connections to PostgreSQL, on one server:
// tsx test/bench/processes/run.ts [--only W1,W6] [--seed N] [--rounds 3]

/** A number of API processes, and the `DATABASE_POOL_SIZE` of each. */
const SETUPS = [
  { processes: 1, pool: 5 },
  { processes: 1, pool: 10 },
  { processes: 1, pool: 20 },
  { processes: 2, pool: 5 },
  { processes: 2, pool: 10 },
  { processes: 2, pool: 20 },
];
/** The setup that the others are compared with: one process with the default pool. */
const USUAL = 1;
const SECONDS = 4;
const CLIENTS = 32;

interface Figures {
  readonly perSecond: number;
  readonly p99: number;
  /** CPU time in milliseconds per 1,000 answers. */
  readonly api: number;
  readonly postgres: number;
}

async function drive(scene: Scene, work: Work, services: readonly Service[], seed: number): Promise<Figures> {
  const { driver, shop, cpuTime } = scene;
  const pids = services.map(({ pid }) => pid);
  const used = () => [cpuTime.of(...pids) ?? NaN, cpuTime.of() ?? NaN] as const;
  const [allBefore, postgresBefore] = used();
  const connections = CLIENTS / services.length;
  const loads: Load[] = await Promise.all(
    services.map(({ url }, index) => {
      const job = { url, key: shop.key, connections, seconds: SECONDS, requests: work.requests(shop) };
      return driver.carryOut({ ...job, seed: seed + index });
    }),
  );
  const [allAfter, postgresAfter] = used();
  const failed = loads.find(({ failures }) => hasFailures(failures));
  if (failed) throw new Error(`${work.name}: ${JSON.stringify(failed.failures)}`);
  const answered = loads.reduce((sum, load) => sum + load.answered, 0);
  const per1000 = (ms: number) => (ms / answered) * 1_000;
  const postgres = postgresAfter - postgresBefore;
  return {
    perSecond: loads.reduce((sum, load) => sum + load.perSecond, 0),
    p99: Math.max(...loads.map(({ p99 }) => p99)),
    api: per1000(allAfter - allBefore - postgres),
    postgres: per1000(postgres),
  };
}

const { values } = parseArgs({
  options: { only: { type: 'string', default: 'W1,W4,W6' }, seed: { type: 'string' }, rounds: { type: 'string' } },
});
const options = readOptions(['--quick', '--only', values.only, ...(values.seed ? ['--seed', values.seed] : [])]);
const rounds = Number(values.rounds ?? 3);
const cleanup = new Cleanup();
try {
  const scene = await Scene.open(options, cleanup, (text) => process.stderr.write(`${text}\n`));
  for (const work of options.works) {
    const all = SETUPS.map((): Figures[] => []);
    // The setups take turns, so that a change of the machine's speed meets all of them.
    for (let round = 0; round < rounds; round++) {
      for (const [index, { processes, pool }] of SETUPS.entries()) {
        const services = await scene.processes(processes, { DATABASE_POOL_SIZE: String(pool) });
        // Warms the processes and their connections up.
        await drive(scene, work, services, options.seed);
        all[index]?.push(await drive(scene, work, services, options.seed + round));
        await Promise.all(services.map((service) => service.terminate()));
      }
    }
    const middle = (index: number, figure: keyof Figures) => median((all[index] ?? []).map((one) => one[figure]));
    for (const [index, setup] of SETUPS.entries()) {
      const figures = {
        work: work.name,
        ...setup,
        throughput: Number((middle(index, 'perSecond') / middle(USUAL, 'perSecond')).toFixed(2)),
        p99_ms: Math.round(middle(index, 'p99')),
        cpu_api: Math.round(middle(index, 'api')),
        cpu_postgres: Math.round(middle(index, 'postgres')),
      };
      process.stdout.write(`${JSON.stringify(figures)}\n`);
    }
  }
} finally {
  await cleanup.run();
}
