import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Daemon, signalOne, signalTree, treeOf } from './daemon.js';
import type { Place } from './place.js';

const QUESTION_MS = 2_000;
const COMMAND_MS = 60_000;

export interface MemberAddress {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
}

interface MemberOptions {
  readonly place: Place;
  readonly address: MemberAddress;
  readonly config: string;
  readonly data: string;
  readonly url: URL;
}

export class Member {
  private patroni: Daemon | null = null;

  constructor(private readonly options: MemberOptions) {}

  get address(): MemberAddress {
    return this.options.address;
  }

  get url(): URL {
    return this.options.url;
  }

  get name(): string {
    return this.address.name;
  }

  start(): void {
    this.patroni = Daemon.start(this.options.place, this.name, ['patroni', this.options.config]);
  }

  async kill(): Promise<void> {
    const tree = this.postgres();
    const patroni = this.patroni?.kill();
    if (tree[0] !== undefined) signalOne(tree[0], 'SIGKILL');
    await patroni;
    while (tree.some((pid) => treeOf(pid).length > 0)) await delay(20);
  }

  /** Sends kill -9 to everything, without waiting, for the end of the proof. */
  destroy(): void {
    this.patroni?.signal('SIGKILL');
    for (const pid of this.postgres()) signalOne(pid, 'SIGKILL');
  }

  /** Stops PostgreSQL with all its processes, like a machine that hangs. Patroni continues. */
  freeze(): void {
    this.signalPostgres('SIGSTOP');
  }

  thaw(): void {
    this.signalPostgres('SIGCONT');
  }

  freezePatroni(): void {
    this.patroni?.signal('SIGSTOP');
  }

  /** Ends the stream of a frozen standby: what is in its socket's buffer is lost, like on a network that is cut. */
  cutStream(): void {
    for (const pid of this.postgres()) {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('walreceiver')) signalOne(pid, 'SIGTERM');
    }
  }

  async is(role: 'primary' | 'synchronous'): Promise<boolean> {
    return this.request(role).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async ask(command: 'switchover' | 'restart', body: object = {}): Promise<void> {
    const { ok, text } = await this.request(command, JSON.stringify(body));
    if (!ok) throw new Error(`Patroni refused the ${command}: ${text}`);
  }

  async query<Row>(text: string, database = 'postgres'): Promise<Row[]> {
    const options = '-c synchronous_commit=local -c statement_timeout=10s';
    const url = new URL(`/${database}`, this.url);
    const client = new pg.Client({ connectionString: url.href, options, connectionTimeoutMillis: QUESTION_MS });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  private async request(path: string, body?: string): Promise<{ ok: boolean; text: string }> {
    const timeout = body === undefined ? QUESTION_MS : COMMAND_MS;
    const response = await fetch(`http://127.0.0.1:${this.address.restPort}/${path}`, {
      ...(body !== undefined && { method: 'POST', body }),
      signal: AbortSignal.timeout(timeout),
    });
    return { ok: response.ok, text: await response.text() };
  }

  private signalPostgres(signal: NodeJS.Signals): void {
    const [postmaster] = this.postgres();
    if (postmaster !== undefined) signalTree(postmaster, signal);
  }

  private postgres(): number[] {
    try {
      const postmaster = Number.parseInt(readFileSync(`${this.options.data}/postmaster.pid`, 'utf8'), 10);
      // After a crash the file may name a process of another program.
      return readFileSync(`/proc/${postmaster}/cmdline`, 'utf8').includes(this.options.data) ? treeOf(postmaster) : [];
    } catch {
      return [];
    }
  }
}
