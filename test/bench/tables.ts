import type { Speed, Spread, WorkRow } from './measure.js';
import type { Run, Table } from './report.js';
import type { RestRow } from './rest.js';

export type Row = WorkRow | RestRow;

/** Throughput and latency by work; start and memory at rest. */
export function speedTable({ rows }: Run<Row>): Table {
  const head = ['work', 'service', 'bare reference', 'ratio (min–max)', 'goal'];
  return [
    head,
    ...rows.map((row) => {
      if ('unit' in row) return restRow(row);
      const { name, title, service, bare, goal } = row;
      const beside =
        bare && goal !== null ? [speed(bare), spread(bare.ratio), verdict(bare.ratio, goal)] : ['–', '–', '–'];
      return [`${name}: ${title}`, speed(service), ...beside];
    }),
  ];
}

/** CPU time and write-ahead log by work. */
export function costTable({ rows }: Run<Row>): Table {
  const head = ['CPU time and write-ahead log per request', 'service', 'bare reference', 'ratio of CPU time (min–max)'];
  return [
    head,
    ...rows
      .filter((row) => 'service' in row)
      .map(({ name, service, bare }) => [
        name,
        cost(service),
        bare ? cost(bare) : '–',
        bare?.cpuRatio ? spread(bare.cpuRatio) : '–',
      ]),
  ];
}

function restRow({ name, title, unit, value, goal }: RestRow): string[] {
  const { median, min, max } = value;
  const found = `${median.toFixed(0)} ${unit} (${min.toFixed(0)}–${max.toFixed(0)})`;
  const distance = median > goal ? `missed by ${Math.ceil(median - goal)} ${unit}` : 'met';
  return [`${name}: ${title}`, found, '–', '–', `≤ ${goal} ${unit}: ${distance}`];
}

function verdict({ median }: Spread, goal: number): string {
  const missing = goal - median;
  // A goal missed by a tiny margin is still missed.
  const distance = missing > 0 ? `missed by ${missing.toFixed(missing < 0.005 ? 4 : 2)}` : 'met';
  return `≥ ${goal.toFixed(2)}: ${distance}`;
}

function speed({ perSecond, p50, p99 }: Speed): string {
  return `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

function cost({ cpu, wal }: Speed): string {
  return `${cpu?.toFixed(2) ?? '–'} ms${wal === null ? '' : `, ${(wal / 1_000).toFixed(1)} kB`}`;
}

function spread({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}
