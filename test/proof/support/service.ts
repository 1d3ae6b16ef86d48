import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export type Role = 'api' | 'worker';

interface ServiceOptions {
  readonly role: Role;
  /** These variables are added to a minimal environment, which inherits none of the caller's settings. */
  readonly env: Readonly<Record<string, string>>;
  /** The file for output that is too large to read while the process works. */
  readonly logFile?: string;
}

export type Ending = number | NodeJS.Signals;

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SAYS: Record<Role, RegExp> = {
  api: /(?:Listening|running) at (http:\/\/[\d.]+:\d+)/,
  worker: /Processing the pipeline/,
};
const MEMORY_REPORT = path.join(import.meta.dirname, 'holdings/report-memory.mjs');
const NODE_OPTIONS: Record<Role, readonly string[]> = {
  api: ['--max-semi-space-size=64', '--import', MEMORY_REPORT],
  worker: ['--import', MEMORY_REPORT],
};
const READY_TIMEOUT_MS = 30_000;
const END_OF_LOG = 1_000;

export class Service {
  private output = '';
  private ending: Ending | null = null;
  private isWanted = true;
  readonly ended: Promise<Ending>;

  private constructor(
    private readonly options: ServiceOptions,
    private readonly child: ChildProcess,
    /** Empty for a worker. */
    public url = '',
  ) {
    child.stdout?.on('data', (chunk) => (this.output += String(chunk)));
    child.stderr?.on('data', (chunk) => (this.output += String(chunk)));
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve((this.ending = code ?? signal ?? 1)));
    });
  }

  static async start(options: ServiceOptions): Promise<Service> {
    const main = path.join(ROOT, `dist/apps/${options.role}/src/main.js`);
    const env = { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info', ...options.env };
    const sink = options.logFile === undefined ? 'pipe' : openSync(options.logFile, 'w');
    const child = spawn(process.execPath, [...NODE_OPTIONS[options.role], main], {
      env,
      stdio: ['ignore', sink, sink],
    });
    if (typeof sink === 'number') closeSync(sink);
    const service = new Service(options, child);
    try {
      await service.becomeReady();
      return service;
    } catch (error) {
      await service.kill();
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get log(): string {
    const { logFile } = this.options;
    return logFile === undefined ? this.output : readFileSync(logFile, 'utf8');
  }

  /** Describes how it ended on its own, with the last errors of its log; `null` otherwise. */
  get unwantedEnd(): string | null {
    if (this.ending === null || !this.isWanted) return null;
    const lines = this.log.trim().split('\n');
    const errors = lines.filter((line) => !/"level":(10|20|30|40)\b/.test(line));
    const last = (errors.length > 0 ? errors : lines).join('\n').slice(-END_OF_LOG);
    return `${this.options.role} process ${this.pid} ended on its own with ${this.ending}: ${last}`;
  }

  get isRunning(): boolean {
    return this.ending === null;
  }

  get memory(): number | null {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1] ?? 0) * 1024 || null;
    } catch {
      return null;
    }
  }

  /** Sends kill -9 at once; resolves when the process is gone. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Ending> {
    this.isWanted = false;
    this.child.kill(signal);
    return this.ended;
  }

  terminate(): Promise<Ending> {
    return this.kill('SIGTERM');
  }

  restart(): Promise<Service> {
    const { env } = this.options;
    const samePort = this.url === '' ? env : { ...env, PORT: new URL(this.url).port };
    return Service.start({ ...this.options, env: samePort });
  }

  private async becomeReady(): Promise<void> {
    const giveUpAt = Date.now() + READY_TIMEOUT_MS;
    for (;;) {
      const said = SAYS[this.options.role].exec(this.log);
      this.url = said?.[1] ?? '';
      if (said && (this.options.role === 'worker' || (await isReady(this.url)))) return;
      if (this.ending !== null || Date.now() > giveUpAt) {
        throw new Error(`The ${this.options.role} process did not become ready; its output: ${this.log}`);
      }
      await delay(20);
    }
  }
}

export async function isReady(url: string, timeoutMs = READY_TIMEOUT_MS): Promise<boolean> {
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(`${url}/health/ready`, { signal }).catch(() => null);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.ok === true;
}
