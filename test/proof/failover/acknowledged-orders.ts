import type { TestDatabase } from '../../support/test-database.js';
import type { Buyers } from '../support/buyers.js';
import type { Random } from '../support/proof.js';
import { dataOf, type Exchange, type History } from '../support/history.js';

const REPLAYS = 50;

export class AcknowledgedOrders {
  private readonly exchanges: readonly Exchange[];
  private readonly shipments: readonly Exchange[];

  constructor(history: History, from: number) {
    const created = history.exchanges.slice(from).filter(({ status, method }) => status === 201 && method === 'POST');
    this.exchanges = created.filter(({ path }) => path === '/v1/orders');
    this.shipments = created.filter(({ path }) => path.endsWith('/shipments'));
  }

  /** The longest time without an acknowledged order, in seconds. */
  get longestSilence(): number {
    const times = this.exchanges.map(({ at, tookMs }) => at + tookMs).sort((a, b) => a - b);
    const silences = times.slice(1).map((time, place) => time - (times[place] ?? time));
    return Math.max(0, ...silences) / 1_000;
  }

  async lostIn(database: TestDatabase): Promise<string[]> {
    const rows = await database.query<{ id: string }>(
      'SELECT asked.id FROM unnest($1::uuid[]) AS asked (id) WHERE NOT EXISTS (SELECT FROM orders WHERE orders.id = asked.id)',
      [this.exchanges.map(idOf)],
    );
    const unshipped = await database.query<{ id: string }>(
      'SELECT asked.id FROM unnest($1::uuid[]) AS asked (id) WHERE NOT EXISTS (SELECT FROM shipments WHERE order_id = asked.id)',
      [this.shipments.map(({ path }) => path.split('/')[3])],
    );
    return [
      ...rows.map(({ id }) => `order ${id} was acknowledged and does not exist`),
      ...unshipped.map(({ id }) => `the shipment of order ${id} was acknowledged and does not exist`),
    ];
  }

  async replay(buyers: Buyers, services: readonly { readonly url: string }[], random: Random) {
    const violations: string[] = [];
    for (let n = 0; n < REPLAYS; n++) {
      const first = this.exchanges[random(this.exchanges.length)];
      if (!first) break;
      const again = await buyers.insist(services, Buffer.from(first.body ?? ''), { key: first.idempotencyKey });
      if (again.status !== 201 || idOf(again) !== idOf(first)) {
        violations.push(`a replay of ${first.idempotencyKey} was answered ${again.status} ${again.bytes.toString()}`);
      }
    }
    return violations;
  }
}

function idOf(exchange: Exchange): string {
  return dataOf<{ order_id: string }>(exchange).order_id;
}
