import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type ClientDataVerdict, type TcpProxy } from '../../support/tcp-proxy.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';

/** A transaction of a change sends about as many packets before its COMMIT. */
const MAX_PACKETS = 6;
const CUT_PAUSE_MS = 250;

export class Trouble {
  private readonly cuts = { statement: 0, commit: 0 };
  private kills = 0;
  private armed: { readonly kind: 'statement' | 'commit'; after: number; readonly verdict: ClientDataVerdict } | null =
    null;
  private readonly inTransaction = new Set<number>();
  private proxy: TcpProxy | null = null;
  private processes: Service[] = [];

  constructor(
    private readonly context: ProofContext,
    private readonly smtpUrl: string,
  ) {}

  async start(): Promise<void> {
    const { rig } = this.context;
    this.proxy = await startTcpProxy(rig.database.url, {
      onClientData: (chunk, connection) => this.decide(chunk, connection),
    });
    const options = { databaseUrl: this.proxy.url, env: { SMTP_URL: this.smtpUrl } };
    const starts = [rig.startService(options), rig.startService(options), rig.startWorker(options)];
    this.processes = await Promise.all(starts);
  }

  get services(): readonly [Service, Service] {
    return [this.processes[0] as Service, this.processes[1] as Service];
  }

  get figures(): string {
    const { cuts, kills } = this;
    return `${cuts.statement} connections cut at statements, ${cuts.commit} at COMMIT; ${kills} × kill -9`;
  }

  async besides(work: Promise<void>, killPauseMs: number): Promise<void> {
    const { random } = this.context;
    let isOver = false;
    const cutting = async () => {
      while (!isOver) {
        const kind = random(2) === 0 ? 'commit' : 'statement';
        this.armed ??= { kind, after: random(MAX_PACKETS), verdict: random(2) === 0 ? 'cut' : 'deliver and cut' };
        await delay(random(CUT_PAUSE_MS));
      }
    };
    const killing = async () => {
      for (let n = 0; n < this.processes.length || !isOver; n++) {
        await delay(random(killPauseMs));
        await this.replace(n % this.processes.length);
      }
    };
    await Promise.all([
      work.finally(() => {
        isOver = true;
        this.armed = null;
      }),
      cutting(),
      killing(),
    ]);
    this.armed = null;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((service) => service.kill()));
    await this.proxy?.close();
  }

  private async replace(index: number): Promise<void> {
    const victim = this.processes[index] as Service;
    this.kills++;
    await victim.kill();
    this.processes[index] = await this.context.rig.restart(victim);
  }

  private decide(chunk: Buffer, connection: number): ClientDataVerdict {
    const commits = chunk.includes('COMMIT\0');
    if (chunk.includes('BEGIN ISOLATION LEVEL READ COMMITTED')) this.inTransaction.add(connection);
    const isInside = this.inTransaction.has(connection);
    if (commits) this.inTransaction.delete(connection);
    const { armed } = this;
    if (!armed || !isInside || commits !== (armed.kind === 'commit') || armed.after-- > 0) return 'pass';
    this.armed = null;
    this.cuts[armed.kind]++;
    return armed.verdict;
  }
}
