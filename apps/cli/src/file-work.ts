import { interruptible } from '@app/startup';
import { CommandFailed } from './failures.js';
import { progressBar } from './progress-bar.js';

const BAR_LENGTH = 1_000;

/** Runs work that reports the fraction done, from 0 to 1, and shows it on a terminal. */
export async function withBar<T>(work: (onProgress: (done: number) => void) => Promise<T>): Promise<T> {
  const bar = progressBar(BAR_LENGTH);
  try {
    return await work((done) => bar.update(done * BAR_LENGTH));
  } finally {
    bar.stop();
  }
}

/**
 * Runs work that a signal aborts, so that no partial file remains.
 *
 * @throws CommandFailed with the message `aborted` after a signal.
 */
export async function untilSignal<T>(aborted: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const interrupt = (exitCode: number) => abort.abort(new CommandFailed(aborted, exitCode));
  return interruptible(interrupt, () => work(abort.signal)).catch((error: unknown) => {
    throw abort.signal.aborted ? abort.signal.reason : error;
  });
}

/** Explains a file that is missing or not accessible. @throws CommandFailed, or the error itself. */
export function explainFile(error: NodeJS.ErrnoException): never {
  const { code, syscall, path: place } = error;
  throw syscall !== undefined && place !== undefined ? new CommandFailed(`Cannot use ${place} (${code}).`) : error;
}
