import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const CLI = path.resolve(import.meta.dirname, '../../../../dist/apps/cli/src/main.js');

export interface Run {
  readonly command: string;
  readonly code: number | null;
  /** Its output on both streams. */
  readonly said: string;
}

/** Runs the built command line as an operator does, and records all output. */
export class CommandLine {
  readonly runs: Run[] = [];

  constructor(private readonly env: Readonly<Record<string, string>>) {}

  async run(command: string, { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}) {
    const child = spawn(process.execPath, [CLI, ...command.split(' ')], {
      env: { PATH: process.env['PATH'], ...this.env, ...env },
    });
    // A command may end before it has read its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const code = new Promise<number | null>((resolve) => child.on('close', resolve));
    const said = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
    const run: Run = { command, code: await code, said };
    this.runs.push(run);
    return run;
  }

  /** Imports lines; a string is sent as a raw line. */
  import(lines: readonly (object | string)[]): Promise<Run> {
    const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return this.run('import -', { input });
  }
}
