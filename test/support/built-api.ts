import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const MAIN = path.resolve(import.meta.dirname, '../../dist/apps/api/src/main.js');

export interface BuiltApi {
  readonly process: ChildProcess;
  output(): string;
  errors(): string;
  says(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  ended(): Promise<number | string>;
}

export function startBuiltApi(env: Readonly<Record<string, string>>): BuiltApi {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const end = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return {
    process: child,
    output: () => output,
    errors: () => errors,
    ended: async () => {
      const [code, signal] = await end;
      return code ?? signal ?? 'unknown';
    },
    says: async (pattern, timeoutMs = 60_000) => {
      const giveUpAt = Date.now() + timeoutMs;
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (Date.now() > giveUpAt || child.exitCode !== null) {
          throw new Error(`The service did not say ${String(pattern)}; it said: ${output}${errors}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
