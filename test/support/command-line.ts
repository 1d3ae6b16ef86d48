import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { EXIT, report } from '../../apps/cli/src/failures.js';
import { createProgram } from '../../apps/cli/src/program.js';
import { withTerminal } from './terminal.js';
import type { TestDatabase } from './test-database.js';

const MAIN = path.resolve('dist/apps/cli/src/main.js');

export interface CommandResult {
  readonly code: number;
  readonly json: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

export function commandLine(database: () => TestDatabase) {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-cli-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const environment = () => ({ PATH: process.env.PATH, DATABASE_URL: database().url, DATA_DIR: directory });
  let last: Promise<unknown> = Promise.resolve();
  /** Runs a command in this process after the earlier ones: they share the environment and the output. */
  const cli = (args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> => {
    const result = last.then(() => runHere(args, { ...environment(), ...env }));
    last = result.catch(() => undefined);
    return result;
  };

  return {
    directory,
    cli,
    start: (args: readonly string[], env: Record<string, string> = {}) => {
      const child = spawn(process.execPath, [MAIN, ...args], { env: { ...environment(), ...env } });
      const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
      return { child, ended: ended.then(([[code], stdout, stderr]) => ({ code: code as unknown, stdout, stderr })) };
    },
    /**
     * Runs a command in a pseudo terminal, which shows both outputs. @param redirected a redirection of the shell, such
     * as `2>/dev/null`.
     */
    onTerminal: (args: readonly string[], input = '', redirected = '') => {
      const line = [process.execPath, MAIN, ...args, redirected].join(' ');
      const env = { ...environment(), SHELL: '/bin/sh' };
      const { status, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { env, input, encoding: 'utf8' });
      return { code: status, shown: stdout.replaceAll('\r', '') };
    },
    createStore: (subdomain: string) =>
      cli(['stores', 'create', '--subdomain', subdomain, '--name', 'Acme', '--currency', 'USD']),
    file: (name: string, ...lines: object[]): string => {
      const target = path.join(directory, name);
      writeFileSync(target, lines.map((line) => JSON.stringify(line)).join('\n'));
      return target;
    },
  };
}

async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<CommandResult> {
  const said = { stdout: '', stderr: '' };
  const replaced = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      said[stream] += String(chunk);
      return true;
    }),
  );
  const environment = process.env;
  process.env = env;
  try {
    const code = await withTerminal(false, () =>
      createProgram()
        .parseAsync(args, { from: 'user' })
        .then(() => EXIT.ok, report),
    );
    const json: unknown = /^[{[]/.test(said.stdout) ? JSON.parse(said.stdout) : null;
    return { code, json, ...said };
  } finally {
    process.env = environment;
    for (const write of replaced) write.mockRestore();
  }
}
