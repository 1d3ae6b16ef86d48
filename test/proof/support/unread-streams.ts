import { setTimeout as delay } from 'node:timers/promises';
import { openUnread } from '../../support/unread-connections.js';
import { StoreFixture } from '../../builders/store-fixture.js';
import type { TestDatabase } from '../../support/test-database.js';
import type { Service } from './service.js';

const STREAMS = 64;
/** Together more than the kernel holds for a connection. */
const PRODUCTS = 2_000;
const DESCRIPTION_BYTES = 20_000;
const LOOK_FOR_MS = 12_000;
const LOOK_EVERY_MS = 250;
const MIB = 2 ** 20;
/** What all streams of one store may add. */
const MOST_GROWTH = 192 * MIB;

/** Streams of the feed that nobody reads, over fat products of a store of their own. */
export class UnreadStreams {
  readonly requests = STREAMS;

  private constructor(private readonly key: string) {}

  static async over(database: TestDatabase): Promise<UnreadStreams> {
    const { id, key } = await StoreFixture.create(database);
    await database.query(
      `INSERT INTO products (store_id, slug, name, price, description)
       SELECT $1, 'fat-' || n, 'Fat', 1, repeat(md5(n::text), ${DESCRIPTION_BYTES / 32}) FROM generate_series(1, ${PRODUCTS}) AS n`,
      [id],
    );
    return new UnreadStreams(key);
  }

  /** Compares the memory of a warm service before and beside the streams. @param url what the clients connect to. */
  async attack(
    service: Service,
    url = service.url,
  ): Promise<{ readonly figures: string; readonly violations: readonly string[] }> {
    const head = `Authorization: Bearer ${this.key}\r\nAccept: application/x-ndjson\r\n`;
    const before = service.memory ?? 0;
    let peak = before;
    const sockets = await openUnread(
      Number(new URL(url).port),
      STREAMS,
      `GET /v1/changes HTTP/1.1\r\nHost: x\r\n${head}\r\n`,
    );
    for (let waited = 0; waited < LOOK_FOR_MS && service.isRunning; waited += LOOK_EVERY_MS) {
      await delay(LOOK_EVERY_MS);
      peak = Math.max(peak, service.memory ?? 0);
    }
    for (const socket of sockets) socket.destroy();
    const figures = `${STREAMS} unread streams of fat records: memory ${mib(before)} before, ${mib(peak)} at most beside them`;
    const violations = [
      ...(service.isRunning ? [] : ['unread streams ended the process']),
      ...(peak > before + MOST_GROWTH ? [`unread streams: memory rose from ${mib(before)} to ${mib(peak)}`] : []),
    ];
    return { figures, violations };
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}
