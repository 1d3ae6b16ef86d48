import { Presets, SingleBar } from 'cli-progress';
import { interruptible } from '@app/startup';
import { CommandFailed } from './failures.js';

const BAR_LENGTH = 1_000;

export async function withBar<T>(work: (onProgress: (done: number) => void) => Promise<T>): Promise<T> {
  const bar = progressBar(BAR_LENGTH);
  try {
    return await work((done) => bar.update(done * BAR_LENGTH));
  } finally {
    bar.stop();
  }
}

/**
 * Stops at a signal without leaving a partial file. @throws CommandFailed with the message `aborted` after a signal.
 */
export async function untilSignal<T>(aborted: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const interrupt = (exitCode: number) => abort.abort(new CommandFailed(aborted, exitCode));
  return interruptible(interrupt, () => work(abort.signal)).catch((error: unknown) => {
    throw abort.signal.aborted ? abort.signal.reason : error;
  });
}

export function explainFile(error: NodeJS.ErrnoException): never {
  const { code, syscall, path } = error;
  throw syscall !== undefined && path !== undefined ? new CommandFailed(`Cannot use ${path} (${code}).`) : error;
}

interface ProgressBar {
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
