import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = path.resolve(import.meta.dirname, '../reference/server.ts');

/** The reference as a process of its own. */
export class ReferenceServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<ReferenceServer> {
    const env = { PATH: process.env['PATH'], NODE_ENV: 'production', DATABASE_URL: databaseUrl };
    const child = spawn(process.execPath, ['--import', 'tsx', MAIN], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /http:\S+/.exec(line)?.[0];
      if (url) return new ReferenceServer(child, url);
    }
    throw new Error('The reference server did not start');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close');
    this.child.kill();
    await ended;
  }
}
