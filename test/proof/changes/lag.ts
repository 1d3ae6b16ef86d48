import { setTimeout as delay } from 'node:timers/promises';
import type { FeedEntry } from '../../support/feed-reader.js';
import type { Shop } from '../support/shop.js';
import { Follower } from './follower.js';

const PAUSE_MS = 200;
const PATIENCE_MS = 20_000;

/** The time from the commit of a change until a reader has it. */
export class Lag {
  private readonly times: number[] = [];

  constructor(private readonly shop: Shop) {}

  get count(): number {
    return this.times.length;
  }

  get slowestMs(): number {
    return Math.round(Math.max(...this.times));
  }

  get medianMs(): number {
    return Math.round([...this.times].sort((a, b) => a - b)[this.times.length >> 1] ?? 0);
  }

  /** Adds a brand, which no writer deletes, again and again, and waits until a reader of the feed has it. */
  async measure(milliseconds: number): Promise<void> {
    const seen = new Map<string, () => void>();
    const { context, store, services } = this.shop;
    const { database } = context.rig;
    const onEntry = ({ kind, id }: FeedEntry) => seen.get(`${kind} ${id}`)?.();
    const reader = new Follower({
      ...{ name: 'the reader of the lag', key: store.key, address: services[0].url },
      ...{ random: context.random, keepsUp: true, onEntry },
    }).start();
    for (const end = Date.now() + milliseconds; Date.now() < end; await delay(PAUSE_MS)) {
      const next = `SELECT nextval(pg_get_serial_sequence('brands', 'id')) AS id`;
      const [{ id = '' } = {}] = await database.query<{ id: string }>(next);
      const arrived = new Promise<void>((resolve) => seen.set(`brands ${id}`, resolve));
      const insert = `INSERT INTO brands (store_id, id, slug, name) VALUES ($1, $2, $3, 'lag')`;
      await database.query(insert, [store.id, id, `lag-${id}`]);
      const committed = performance.now();
      await Promise.race([arrived, delay(PATIENCE_MS)]);
      this.times.push(performance.now() - committed);
    }
    await reader.stop();
  }
}
