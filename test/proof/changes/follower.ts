import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/proof.js';
import type { FeedAnswer, FeedEntry } from '../../support/feed-reader.js';

interface FollowerOptions {
  readonly name: string;
  readonly key: string;
  readonly address: string;
  readonly random: Random;
  /** Whether it reads whole pages without a pause and never goes back, like a connector that keeps up. */
  readonly keepsUp?: boolean;
  readonly onEntry?: (entry: FeedEntry) => void;
}

export class Follower {
  readonly copy = new Map<string, FeedEntry>();
  readonly violations: string[] = [];
  pages = 0;
  rewinds = 0;
  cursor: string | null = null;
  private readonly former: string[] = [];
  private stopped = false;
  private work: Promise<void> = Promise.resolve();

  constructor(private options: FollowerOptions) {}

  get name(): string {
    return this.options.name;
  }

  start(): this {
    this.stopped = false;
    this.work = this.follow();
    return this;
  }

  moveTo(address: string, key = this.options.key): void {
    this.options = { ...this.options, address, key };
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.work;
  }

  async catchUp(timeoutMs = 120_000): Promise<void> {
    const giveUpAt = Date.now() + timeoutMs;
    for (let empty = 0; empty < 2;) {
      if (Date.now() > giveUpAt) throw new Error(`${this.options.name} does not catch up`);
      const answer = await this.page(100);
      empty = answer?.data.length === 0 && !answer.has_more ? empty + 1 : 0;
      if (empty > 0) await delay(300);
    }
  }

  private async follow(): Promise<void> {
    const { random, keepsUp } = this.options;
    while (!this.stopped) {
      if (keepsUp) {
        await this.page(100, '&wait=2');
        continue;
      }
      const answer = await this.page(1 + random(100), random(4) === 0 ? '&wait=2' : '');
      if (!answer?.has_more) await delay(random(150));
      const older = this.former[random(this.former.length + 1)];
      if (random(200) === 0 && older !== undefined) this.cursor = older;
    }
  }

  /** Null when there was no answer: the service, or its database, was away. */
  private async page(limit: number, more = ''): Promise<FeedAnswer | null> {
    const { name, key, address } = this.options;
    const cursor = this.cursor === null ? '' : `&cursor=${this.cursor}`;
    const asked = fetch(`${address}/v1/changes?limit=${limit}${cursor}${more}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(15_000),
    }).then(async (response) => ({ status: response.status, text: await response.text() }));
    const { status, text } = await asked.catch(() => ({ status: 503, text: 'no answer' }));
    if (status !== 200) {
      if (status !== 503) this.violations.push(`${name}: ${status} ${text}`);
      await delay(100);
      return null;
    }
    const answer = JSON.parse(text) as FeedAnswer;
    this.pages++;
    this.take(answer);
    return answer;
  }

  private take(answer: FeedAnswer): void {
    if (answer.rewound) {
      this.rewinds++;
      this.copy.clear();
      this.former.length = 0;
    } else if (this.cursor !== null && positionOf(answer.cursor) < positionOf(this.cursor)) {
      this.violations.push(`${this.options.name}: a cursor went back`);
    }
    for (const entry of answer.data) {
      if (entry.deleted) this.copy.delete(`${entry.kind} ${entry.id}`);
      else this.copy.set(`${entry.kind} ${entry.id}`, entry);
      this.options.onEntry?.(entry);
    }
    this.cursor = answer.cursor;
    if (this.former.length < 1_000) this.former.push(answer.cursor);
  }
}

/** The only place that knows what is in a cursor. */
function positionOf(cursor: string): number {
  return Number(Buffer.from(cursor, 'base64url').toString().split('.')[4]);
}
