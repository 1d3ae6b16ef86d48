import { createReadStream, statSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { interruptible } from '@app/startup';
import { withDatabase, type OperatorsDatabase } from './database.js';
import { CommandFailed } from './failures.js';
import { progressBar } from './file-work.js';

/** `size` is in bytes; 0 = unknown. @throws CommandFailed */
function openSource(file: string): { source: Readable; size: number } {
  if (file === '-') return { source: process.stdin, size: 0 };
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandFailed(`${file} is a directory.`);
    const stored = createReadStream(file, { highWaterMark: 1 << 20 });
    if (!file.endsWith('.gz')) return { source: stored, size: stats.size };
    // The reader of the result gets the errors.
    return { source: pipeline(stored, createGunzip({ chunkSize: 1 << 20 }), () => undefined), size: 0 };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, error: unknown): CommandFailed =>
  new CommandFailed(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);

interface Source extends OperatorsDatabase {
  readonly source: Readable;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/**
 * The first SIGINT or SIGTERM ends the work after the current batch; the second ends the process at once.
 * @param explain returns the error to throw. `exitCode` is null without a signal.
 */
export async function importFrom<T>(
  file: string,
  work: (from: Source) => Promise<T>,
  explain: (error: unknown, exitCode: number | null) => unknown,
): Promise<T> {
  const { source, size } = openSource(file);
  const abort = new AbortController();
  let exitCode: number | null = null;
  const interrupt = (code: number) => {
    exitCode = code;
    abort.abort();
    source.destroy();
  };
  return withDatabase(async (database) => {
    const bar = progressBar(size);
    const from = { ...database, source, signal: abort.signal, onBytes: (bytes: number) => bar.update(bytes) };
    try {
      return await interruptible(interrupt, () => work(from));
    } catch (error) {
      throw explain(error, exitCode);
    } finally {
      bar.stop();
    }
  });
}
