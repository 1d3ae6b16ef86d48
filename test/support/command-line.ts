import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestDatabase } from './test-database.js';

const MAIN = path.resolve('dist/apps/cli/src/main.js');

export interface CommandResult {
  readonly code: number | null;
  /** The standard output as JSON, or null when it is neither an object nor an array. */
  readonly json: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command line on a database, with a directory for its files that is removed after the tests. */
export function commandLine(database: () => TestDatabase) {
  const directory = mkdtempSync(path.join(tmpdir(), 'store-commerce-cli-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const environment = () => ({ PATH: process.env.PATH, DATABASE_URL: database().url, DATA_DIR: directory });
  const cli = (args: readonly string[], env: Record<string, string> = {}): Promise<CommandResult> =>
    new Promise((resolve) => {
      const options = { env: { ...environment(), ...env } };
      const child = execFile(process.execPath, [MAIN, ...args], options, (_, stdout, stderr) => {
        const json: unknown = stdout.startsWith('{') || stdout.startsWith('[') ? JSON.parse(stdout) : null;
        resolve({ code: child.exitCode, json, stdout, stderr });
      });
    });

  return {
    directory,
    cli,
    /** Starts a command without waiting for its end. */
    start: (args: readonly string[]) =>
      spawn(process.execPath, [MAIN, ...args], { env: environment(), stdio: ['pipe', 'pipe', 'pipe'] }),
    createStore: (subdomain: string) =>
      cli(['stores', 'create', '--subdomain', subdomain, '--name', 'Acme', '--currency', 'USD']),
    /** Writes a file of JSON lines and returns its path. */
    file: (name: string, ...lines: object[]): string => {
      const target = path.join(directory, name);
      writeFileSync(target, lines.map((line) => JSON.stringify(line)).join('\n'));
      return target;
    },
  };
}
