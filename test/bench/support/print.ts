import type { OrderCheck } from './check-orders.js';
import type { Figures, Measurement } from './measure.js';

export const HEAD = ['work', 'service', 'reference', 'ratio', 'goal', ''];

/** Cells of the table of speeds. */
export function speedRow({ name, title, service, reference, ratio, ratios, goal, tailGoal }: Measurement): string[] {
  return [
    `${name} ${title}`,
    inWords(service),
    inWords(reference),
    `${ratio.toFixed(2)} (${ratios.map((each) => each.toFixed(2)).join('–')})`,
    goal === null ? '' : `≥ ${goal.toFixed(1)}`,
    goal === null ? '' : verdict(ratio, goal, service, tailGoal),
  ];
}

function inWords({ perSecond, p50, p99 }: Figures): string {
  return `${Math.round(perSecond)}/s, p50 ${p50} ms, p99 ${p99} ms`;
}

function verdict(ratio: number, goal: number, { p50, p99 }: Figures, tailGoal: number | null): string {
  // As it is shown: two decimals.
  if (Math.round(ratio * 100) < goal * 100) return `${(goal - ratio).toFixed(2)} short`;
  if (tailGoal !== null && p99 >= tailGoal * p50) return `p99 is ${(p99 / p50).toFixed(1)} × p50`;
  return 'met';
}

export function printSpeed(speed: readonly Measurement[], { acknowledged, placed, accepted }: OrderCheck): void {
  const rows = [HEAD, ...speed.map(speedRow)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
  }
  if (acknowledged > 0) {
    process.stdout.write(
      `${acknowledged} orders acknowledged, ${placed} placed, ${accepted} of them accepted at once\n`,
    );
  }
}
