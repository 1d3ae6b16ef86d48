import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const CLI = path.resolve(import.meta.dirname, '../../../../dist/apps/cli/src/main.js');

/** Runs a command of the built command line as an operator does. @throws Error when it fails. */
export async function operate<T>(databaseUrl: string, ...command: readonly string[]): Promise<T> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...command], { env });
  return JSON.parse(stdout) as T;
}
