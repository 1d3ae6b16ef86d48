import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type ClientDataVerdict, type TcpProxy } from '../../../support/tcp-proxy.js';
import type { Rig } from '../rig.js';
import type { Service } from '../service.js';
import type { KillPoint } from './kill-points.js';

/** Under load, every point is reached many times a second. */
const POINT_TIMEOUT_MS = 15_000;

/** A service that is killed when it sends a given statement; a proxy in front of its database watches for it. */
export class Victim {
  private armed: { readonly point: KillPoint; readonly delivered: boolean; readonly fired: () => void } | null = null;

  private constructor(
    private readonly rig: Rig,
    private readonly proxy: TcpProxy,
    private service: Service,
  ) {}

  static async start(rig: Rig): Promise<Victim> {
    const watch: { victim: Victim | null } = { victim: null };
    const onClientData = (chunk: Buffer) => watch.victim?.see(chunk) ?? 'pass';
    const proxy = await startTcpProxy(rig.database.url, { onClientData });
    try {
      return (watch.victim = new Victim(rig, proxy, await rig.startService({ databaseUrl: proxy.url })));
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** The same after every restart. */
  get url(): string {
    return this.service.url;
  }

  /** kill -9 the next time an order reaches that point. @throws Error when no order reaches it. */
  async dieAt(point: KillPoint, delivered: boolean): Promise<void> {
    const fired = new Promise<void>((resolve) => (this.armed = { point, delivered, fired: resolve }));
    const giveUp = new AbortController();
    const never = delay(POINT_TIMEOUT_MS, undefined, { signal: giveUp.signal }).then(() => {
      throw new Error(`No order reached the point "${point.name}"`);
    });
    never.catch(() => undefined);
    await Promise.race([fired, never]).finally(() => giveUp.abort());
    await this.service.ended;
  }

  /** kill -9, regardless of its orders. */
  async dieAfter(milliseconds: number): Promise<void> {
    await delay(milliseconds);
    await this.service.kill();
  }

  /** @returns the milliseconds until it was ready. */
  async riseAgain(): Promise<number> {
    const start = Date.now();
    this.service = await this.rig.restart(this.service);
    return Date.now() - start;
  }

  async close(): Promise<void> {
    await this.service.kill();
    await this.proxy.close();
  }

  private see(chunk: Buffer): ClientDataVerdict {
    if (!this.armed || !chunk.includes(this.armed.point.next)) return 'pass';
    const { delivered, fired } = this.armed;
    this.armed = null;
    // The signal goes first: the process is dead before its connection is.
    void this.service.kill();
    fired();
    return delivered ? 'deliver and cut' : 'cut';
  }
}
