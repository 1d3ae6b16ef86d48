import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const APPS = path.resolve(import.meta.dirname, '../../../dist/apps');

export interface CommandEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runBuild(
  app: 'api' | 'cli',
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  input = '',
  onStart: (child: ChildProcess) => void = () => undefined,
): Promise<CommandEnd> {
  const main = path.join(APPS, app, 'src/main.js');
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 180_000,
  });
  onStart(child);
  // A command may end before it has read its input.
  child.stdin.on('error', () => undefined).end(input);
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

/** @returns what the command prints, which is JSON. @throws Error with its message when it fails. */
export async function operate<T>(databaseUrl: string, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runBuild('cli', { DATABASE_URL: databaseUrl }, args);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** What `stock verify` complains about, in the whole database or in one store. */
export async function stockVerifyViolations(databaseUrl: string, subdomain?: string): Promise<string[]> {
  const store = subdomain === undefined ? [] : ['--store', subdomain];
  return operate(databaseUrl, 'stock', 'verify', ...store).then(
    () => [],
    (error: Error) => [error.message],
  );
}
