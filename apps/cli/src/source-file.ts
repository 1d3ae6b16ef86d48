import { createReadStream, readFileSync, statSync } from 'node:fs';
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
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, error: unknown): CommandFailed =>
  new CommandFailed(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);

/** A JSON object of texts. @throws CommandFailed */
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
    // Told below.
  }
  throw new CommandFailed(`${file} must be a JSON object such as {"Preis": "Regular price"}.`);
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
