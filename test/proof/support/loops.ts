import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './proof.js';

export class Loops {
  private isOpen = true;
  private readonly members: Promise<unknown>;

  /**
   * @param longestRestMs the longest pause between two turns; the time is random. @param act gets client and turn, each
   * from 0.
   */
  constructor(
    random: Random,
    clients: number,
    longestRestMs: number,
    act: (client: number, turn: number) => Promise<unknown>,
  ) {
    this.members = Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let turn = 0; this.isOpen; turn++) {
          await act(client, turn);
          await delay(random(longestRestMs));
        }
      }),
    );
  }

  async stop(): Promise<void> {
    this.isOpen = false;
    await this.members;
  }
}

export class SteadyRate {
  private readonly pending = new Set<Promise<unknown>>();
  private readonly timer: NodeJS.Timeout;
  private sent = 0;

  /** @param send gets the number of the request, from 1. It must not reject. */
  constructor(perSecond: number, send: (n: number) => Promise<unknown>) {
    this.timer = setInterval(() => {
      const request = send(++this.sent).finally(() => this.pending.delete(request));
      this.pending.add(request);
    }, 1_000 / perSecond);
  }

  get waiting(): number {
    return this.pending.size;
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
  }
}
