import { interruptible } from '@app/startup';
import { CommandFailed } from './failures.js';
import { progressBar } from './progress-bar.js';

const BAR_LENGTH = 1_000;

export async function withBar<T>(work: (onProgress: (done: number) => void) => Promise<T>): Promise<T> {
  const bar = progressBar(BAR_LENGTH);
  try {
    return await work((done) => bar.update(done * BAR_LENGTH));
  } finally {
    bar.stop();
  }
}

/** A signal leaves no partial file. @throws CommandFailed with the message `aborted` after a signal. */
export async function untilSignal<T>(aborted: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const interrupt = (exitCode: number) => abort.abort(new CommandFailed(aborted, exitCode));
  return interruptible(interrupt, () => work(abort.signal)).catch((error: unknown) => {
    throw abort.signal.aborted ? abort.signal.reason : error;
  });
}

export function explainFile(error: NodeJS.ErrnoException): never {
  const { code, syscall, path: place } = error;
  throw syscall !== undefined && place !== undefined ? new CommandFailed(`Cannot use ${place} (${code}).`) : error;
}
