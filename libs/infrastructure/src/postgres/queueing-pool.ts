import { CONNECTION_MS } from '@app/application';
import pg from 'pg';
import { isServerFull, NO_CONNECTION_IN_TIME } from './postgres-errors.js';

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

/** After the server refused a connection, the pool requests another one only when this time has passed. */
const RETRY_MS = 1_000;

/**
 * A pool that keeps working with its open connections when the server refuses further ones. A caller then waits for one
 * of the open connections, as in a pool that has reached its maximum size. When the pool has no open connection, it
 * throws the server's refusal.
 */
export class QueueingPool extends pg.Pool {
  private readonly waiting: (() => void)[] = [];
  private fullUntil = 0;

  constructor(config?: pg.PoolConfig) {
    super(config);
    // The pool emits this event before the connection becomes idle, so the waiting caller continues one tick later.
    this.on('release', () => process.nextTick(() => this.waiting.shift()?.()));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    const client = this.connectOrWait();
    if (!callback) return client;
    client.then(
      (found) => callback(undefined, found, (reason) => found.release(reason as Error)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
  }

  private async connectOrWait(): Promise<pg.PoolClient> {
    const giveUpAt = performance.now() + CONNECTION_MS;
    for (;;) {
      if (this.idleCount > 0 || this.totalCount === 0 || performance.now() > this.fullUntil) {
        try {
          return await super.connect();
        } catch (error) {
          if (!isServerFull(error) || this.totalCount === 0) throw error;
          this.fullUntil = performance.now() + RETRY_MS;
        }
      }
      if (this.idleCount === 0) await this.nextRelease(giveUpAt - performance.now());
    }
  }

  private nextRelease(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(wake), 1);
        reject(new Error(NO_CONNECTION_IN_TIME));
      }, timeoutMs);
      this.waiting.push(wake);
    });
  }
}
