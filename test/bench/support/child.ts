import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

const BENCH = path.resolve(import.meta.dirname, '..');

/**
 * Runs a TypeScript program of the bench as one process: the `tsx` command starts two, one of which could outlive ours.
 */
export function startProgram(file: string, env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', path.join(BENCH, file)], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    cwd: BENCH,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}
