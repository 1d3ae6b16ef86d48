import { runCommand } from '../cli.js';

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
    const { code, stdout, stderr } = await runCommand({ ...this.env, ...env }, command.split(' '), input);
    const run: Run = { command, code, said: stdout + stderr };
    this.runs.push(run);
    return run;
  }

  /** Imports lines; a string is sent as a raw line. */
  import(lines: readonly (object | string)[]): Promise<Run> {
    const input = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return this.run('import -', { input });
  }
}
