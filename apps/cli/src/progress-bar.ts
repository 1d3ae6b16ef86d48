import { Presets, SingleBar } from 'cli-progress';

export interface ProgressBar {
  update(value: number): void;
  stop(): void;
}

const SILENT: ProgressBar = { update: () => undefined, stop: () => undefined };

/** Shows nothing when standard error is not a terminal, or the total is unknown (0). */
export function progressBar(total: number): ProgressBar {
  if (!process.stderr.isTTY || total === 0) return SILENT;
  const format = '{bar} {percentage}% | {duration_formatted} | about {eta_formatted} left';
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true }, Presets.shades_classic);
  bar.start(total, 0);
  return bar;
}
