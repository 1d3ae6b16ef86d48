import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './proof.js';

/** Clients that act one after the other, each with a rest in between, until they are stopped. */
export class Loops {
  private isOpen = true;
  private readonly members: Promise<unknown>;

  /**
   * @param longestRestMs between two turns; the time is random.
   * @param act gets the number of the client and of its turn, each from 0.
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

/** Requests at a fixed rate, regardless of earlier answers, until they are stopped. */
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

  /** Resolves when the last answer has arrived. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.pending);
  }
}
