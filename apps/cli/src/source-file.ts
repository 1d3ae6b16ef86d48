import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { CommandFailed } from './failures.js';

/** Exit codes of a command that a signal ended, as shells have them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/** The bytes of a file, or of standard input for `-`, whose size is not known (0). @throws CommandFailed */
export function openSource(file: string): { source: Readable; size: number } {
  if (file === '-') return { source: process.stdin, size: 0 };
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandFailed(`${file} is a directory.`);
    return { source: createReadStream(file, { highWaterMark: 1 << 20 }), size: stats.size };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);
  }
}

/**
 * Lets a signal end the work after the batch that is being written; a second one ends it at once.
 *
 * @param explain what to tell of a failure; the exit code is null where no signal came.
 */
export async function interruptible<T>(
  source: Readable,
  work: (signal: AbortSignal) => Promise<T>,
  explain: (error: unknown, exitCode: number | null) => unknown,
): Promise<T> {
  const abort = new AbortController();
  let exitCode: number | null = null;
  const stop = (signal: keyof typeof SIGNALS) => {
    exitCode = SIGNALS[signal];
    abort.abort();
    source.destroy();
  };
  for (const signal of Object.keys(SIGNALS)) process.once(signal, stop);
  try {
    return await work(abort.signal);
  } catch (error) {
    throw explain(error, exitCode);
  } finally {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, stop);
  }
}
