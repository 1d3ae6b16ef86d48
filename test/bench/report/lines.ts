import type { CostResult } from '../costs/measure.js';
import type { Figures } from '../figures/figures.js';
import type { Compared, Spread, Speed, WorkResult } from '../works/summary.js';
import type { BenchResults } from './results.js';

/** The tables of a run, as rows of text, for the terminal and for docs/benchmarks.md. */
export interface Tables {
  readonly works: readonly (readonly string[])[];
  /** CPU time by work. */
  readonly cpu: readonly (readonly string[])[];
  /** Comparisons of the service with itself. */
  readonly costs: readonly (readonly string[])[];
  readonly figures: readonly (readonly string[])[];
  readonly conditions: string;
}

export function tablesOf(results: BenchResults): Tables {
  const figures = [
    ['figure', 'measured', 'goal'],
    ...ordersAccepted(results.verdicts),
    ...memory(results.figures),
    ...loopDelays(results),
    ...starts(results.figures),
    ...imports(results.figures),
  ];
  const { works, costs = [] } = results;
  return {
    works: [WORK_HEAD, ...works.map(workRow)],
    cpu: [CPU_HEAD, ...works.map(cpuRow)],
    costs: [COST_HEAD, ...costs.map(costRow)],
    figures,
    conditions: conditions(results),
  };
}

const WORK_HEAD = [
  'work',
  'service',
  'bare reference',
  'ratio (min–max)',
  'goal',
  'reference on the same schema',
  'ratio (min–max)',
];

function workRow(work: WorkResult): string[] {
  const { name, title, bare, sameSchema } = work;
  return [`${name}: ${title}`, speed(work.service), ...beside(bare), goalOf(work), ...beside(sameSchema)];
}

function beside(reference: Compared | null): string[] {
  return reference ? [speed(reference), spread(reference.ratio, 2)] : ['–', '–'];
}

const CPU_HEAD = [
  'CPU ms per 1,000 requests',
  'service',
  'bare reference',
  'ratio (min–max)',
  'reference on the same schema',
  'ratio (min–max)',
];

function cpuRow({ name, service, bare, sameSchema }: WorkResult): string[] {
  const cells = [bare, sameSchema].flatMap((reference) => [
    reference?.cpu?.toFixed(0) ?? '–',
    reference?.cpuRatio ? spread(reference.cpuRatio, 2) : '–',
  ]);
  return [name, service.cpu?.toFixed(0) ?? '–', ...cells];
}

const COST_HEAD = ['CPU ms per 1,000 requests', 'measured', 'compared with', 'measured', 'ratio (min–max)', 'goal'];

function costRow({ name, title, measured, baseline, goal, met }: CostResult): string[] {
  const { cpuRatio } = baseline;
  const verdict = met === false && cpuRatio ? `missed by ${(cpuRatio.median - goal).toFixed(2)}` : 'met';
  return [
    `${name}: ${title}`,
    measured.cpu?.toFixed(0) ?? '–',
    baseline.title,
    baseline.cpu?.toFixed(0) ?? '–',
    cpuRatio ? spread(cpuRatio, 2) : '–',
    `≤ ${goal.toFixed(2)}${met === null ? '' : `: ${verdict}`}`,
  ];
}

/** The goal, and `met` or the distance to it. */
function goalOf({ bare, tail, goal, met }: WorkResult): string {
  if (!goal || !bare) return '–';
  const wanted = `≥ ${goal.ratio.toFixed(2)}`;
  if (met) return `${wanted}: met`;
  const faults: string[] = [];
  const missing = goal.ratio - bare.ratio.median;
  // A goal missed by a tiny margin is still missed.
  if (missing > 0) faults.push(`missed by ${missing.toFixed(missing < 0.005 ? 4 : 2)}`);
  if (goal.tail !== undefined && tail >= goal.tail) {
    faults.push(`p99 is ${tail.toFixed(1)} × p50 instead of less than ${goal.tail} ×`);
  }
  return `${wanted}: ${faults.join(', ')}`;
}

function speed({ perSecond, p50, p99 }: Speed): string {
  return `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

function spread({ median, min, max }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
}

function ordersAccepted(verdicts: BenchResults['verdicts']): string[][] {
  const all = Object.values(verdicts).reduce((sum, count) => sum + count, 0);
  if (all === 0) return [];
  const named = Object.entries(verdicts).map(([verdict, count]) => `${count} × ${verdict}`);
  return [['orders placed through the service, by fraud verdict', named.join(', '), '–']];
}

function memory({ memory, soak }: Figures): string[][] {
  const rows: string[][] = [];
  if (memory) {
    const { idle, peak, end } = memory;
    rows.push(['resident memory: idle, peak under load, at the end', [idle, peak, end].map(megabytes).join(', '), '–']);
  }
  if (soak) {
    const what = `resident memory in ${soak.seconds / 60} minutes of ${soak.readsPerSecond.toFixed(0)} reads/s and ${soak.ordersPerSecond.toFixed(0)} orders/s: second minute, last minute`;
    rows.push([what, [soak.first, soak.last].map(megabytes).join(', '), '–']);
  }
  return rows;
}

function loopDelays({ works, figures }: BenchResults): string[][] {
  const delays = works.map(({ name, loopDelayP99 }) => `${name} ${loopDelayP99.toFixed(0)}`).join(', ');
  const idle = figures.idleLoopDelayP99 === null ? '' : `idle ${figures.idleLoopDelayP99.toFixed(0)}, `;
  return [['event-loop delay, p99 in ms', idle + delays, '–']];
}

function starts({ starts }: Figures): string[][] {
  if (!starts) return [];
  const row = (what: string, measured: Spread, goal: number) => {
    const missed = measured.median - goal;
    const verdict = missed <= 0 ? 'met' : `missed by ${missed.toFixed(2)} s`;
    return [`start to ready, ${what}`, `${spread(measured, 2)} s`, `≤ ${goal} s: ${verdict}`];
  };
  return [
    row('external database', starts.external, 1),
    row('embedded database', starts.embedded, 5),
    row('embedded database, created and filled at this start', starts.embeddedEmpty, 5),
  ];
}

function imports({ import: imported, install }: Figures): string[][] {
  const rows: string[][] = [];
  if (imported) {
    const { orders, megabytes: size, seconds, ordersPerSecond } = imported;
    const measured = `${ordersPerSecond.toFixed(0)} orders/s (${size.toFixed(0)} MB in ${seconds.toFixed(0)} s)`;
    rows.push([`\`cli import\` of ${count(orders)} orders`, measured, '–']);
  }
  if (install) {
    const { packages, embeddedPostgres, build } = install;
    const measured = `${megabytes(packages)} of packages, ${megabytes(embeddedPostgres)} of them PostgreSQL; ${megabytes(build)} of build`;
    rows.push(['production install', measured, '–']);
  }
  return rows;
}

function conditions({ store, plan, machine, seed, commit, date, seconds }: BenchResults): string {
  const { cpu, cores, memoryGb, node, postgres, settings } = machine;
  const server = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return (
    `A store of ${count(store.orders)} orders, ${count(store.products)} products and ${count(store.customers)} customers ` +
    `next to ten others; each figure the median of ${plan.rounds} rounds of ${plan.seconds} s, the sides in turn. ` +
    `${cores} cores (${cpu}), ${memoryGb} GB, Node ${node.slice(1)}, PostgreSQL ${postgres} (${server.join(', ')}); ` +
    `${date}, commit ${commit}, seed ${seed}, ${seconds} s.`
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
