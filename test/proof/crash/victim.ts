import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type ClientDataVerdict, type TcpProxy } from '../../support/tcp-proxy.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';

export interface KillPoint {
  readonly name: string;
  /** The next statement: its name, which each run of a prepared one sends, or its text. */
  readonly next: string;
  /** Whether that statement still reaches the server; when absent, both are possible. */
  readonly delivered?: boolean;
}

/** A statement that the service no longer sends fails the proof, so the list must follow the code. */
export const KILL_POINTS: readonly KillPoint[] = [
  { name: 'after BEGIN', next: 'idempotency.claim' },
  { name: 'after the claim of the key', next: 'orders.insert' },
  { name: 'after the order and its stages', next: 'stock.withdraw' },
  { name: 'after the stock update', next: 'COMMIT\0', delivered: false },
  { name: 'after COMMIT, before its answer', next: 'COMMIT\0', delivered: true },
];

/** Under load, every point is reached many times a second. */
const POINT_TIMEOUT_MS = 15_000;

export class Victim {
  private armed: { readonly point: KillPoint; readonly fired: () => void } | null = null;

  private constructor(
    private readonly context: ProofContext,
    private readonly proxy: TcpProxy,
    private service: Service,
  ) {}

  static async start(context: ProofContext): Promise<Victim> {
    const { rig } = context;
    const watch: { victim: Victim | null } = { victim: null };
    const onClientData = (chunk: Buffer) => watch.victim?.see(chunk) ?? 'pass';
    const proxy = await startTcpProxy(rig.database.url, { onClientData });
    try {
      return (watch.victim = new Victim(context, proxy, await rig.startService({ databaseUrl: proxy.url })));
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  get url(): string {
    return this.service.url;
  }

  async dieAt(point: KillPoint): Promise<void> {
    const fired = new Promise<void>((resolve) => (this.armed = { point, fired: resolve }));
    const giveUp = new AbortController();
    const never = delay(POINT_TIMEOUT_MS, undefined, { signal: giveUp.signal }).then(() => {
      throw new Error(`No order reached the point "${point.name}"`);
    });
    never.catch(() => undefined);
    await Promise.race([fired, never]).finally(() => giveUp.abort());
    await this.service.ended;
  }

  async dieAfter(milliseconds: number): Promise<void> {
    await delay(milliseconds);
    await this.service.kill();
  }

  async riseAgain(): Promise<number> {
    const start = Date.now();
    this.service = await this.context.rig.restart(this.service);
    return Date.now() - start;
  }

  async close(): Promise<void> {
    await this.service.kill();
    await this.proxy.close();
  }

  private see(chunk: Buffer): ClientDataVerdict {
    if (!this.armed || !chunk.includes(this.armed.point.next)) return 'pass';
    const { point, fired } = this.armed;
    this.armed = null;
    // The signal goes first: the process is dead before its connection is.
    void this.service.kill();
    fired();
    return (point.delivered ?? this.context.random(2) === 0) ? 'deliver and cut' : 'cut';
  }
}
