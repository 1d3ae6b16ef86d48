import { createReadStream, readFileSync, statSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { interruptible } from '@app/startup';
import { CommandFailed } from './failures.js';

/**
 * Opens a file, or standard input for `-`. A file is decompressed if its name ends in .gz, as `export` names them.
 * `size` is in bytes; 0 = unknown.
 *
 * @throws CommandFailed
 */
export function openSource(file: string): { source: Readable; size: number } {
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

/** Reads a JSON object whose members are all text. @throws CommandFailed */
export function readColumns(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw unreadable(file, error);
  }
  try {
    const columns = JSON.parse(text.replace(/^\ufeff/, '')) as unknown;
    const isObject = typeof columns === 'object' && columns !== null && !Array.isArray(columns);
    if (isObject && Object.values(columns).every((name) => typeof name === 'string')) {
      return columns as Record<string, string>;
    }
  } catch {
    // The error below covers this too.
  }
  throw new CommandFailed(`${file} must be a JSON object such as {"Preis": "Regular price"}.`);
}

/**
 * Reads a source. The first SIGINT or SIGTERM ends the work after the current batch; the same signal again ends the
 * process at once.
 *
 * @param explain returns the error to throw for a failure. `exitCode` is null without a signal.
 */
export async function readInterruptibly<T>(
  source: Readable,
  work: (signal: AbortSignal) => Promise<T>,
  explain: (error: unknown, exitCode: number | null) => unknown,
): Promise<T> {
  const abort = new AbortController();
  let exitCode: number | null = null;
  const interrupt = (code: number) => {
    exitCode = code;
    abort.abort();
    source.destroy();
  };
  return interruptible(interrupt, () => work(abort.signal)).catch((error: unknown) => {
    throw explain(error, exitCode);
  });
}
