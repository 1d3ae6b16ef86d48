import type { Speed, Spread, WorkRow } from './measure.js';
import type { Table } from './report.js';
import type { RestRow } from './rest.js';

/** Throughput, latency and costs by work; start and memory at rest. */
export function benchTable(rows: readonly (WorkRow | RestRow)[]): Table {
  const head = ['work', 'service', 'bare reference', 'ratio (min–max)', 'goal', 'ratio of CPU time (min–max)'];
  return [head, ...rows.map((row) => ('unit' in row ? restRow(row) : workRow(row)))];
}

function workRow({ name, title, service, bare, goal }: WorkRow): string[] {
  const cpuRatio = bare.cpuRatio === null ? '–' : spread(bare.cpuRatio);
  return [`${name}: ${title}`, speed(service), speed(bare), spread(bare.ratio), verdict(bare.ratio, goal), cpuRatio];
}

function restRow({ name, title, unit, value, goal }: RestRow): string[] {
  const { median, min, max } = value;
  const found = `${median.toFixed(0)} ${unit} (${min.toFixed(0)}–${max.toFixed(0)})`;
  const distance = median > goal ? `missed by ${Math.ceil(median - goal)} ${unit}` : 'met';
  return [`${name}: ${title}`, found, '–', '–', `≤ ${goal} ${unit}: ${distance}`, '–'];
}

function verdict({ median }: Spread, goal: number): string {
  const missing = goal - median;
  // A goal missed by a tiny margin is still missed.
  const distance = missing > 0 ? `missed by ${missing.toFixed(missing < 0.005 ? 4 : 2)}` : 'met';
  return `≥ ${goal.toFixed(2)}: ${distance}`;
}

function speed({ perSecond, p50, p99, cpu, wal }: Speed): string {
  const log = wal === null ? '' : `, ${(wal / 1_000).toFixed(1)} kB of log`;
  return `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${cpu?.toFixed(2) ?? '–'} ms of CPU${log}`;
}

function spread({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}
