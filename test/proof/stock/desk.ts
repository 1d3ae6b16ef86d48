import type { StockedStore } from '../support/shop.js';
import { dataOf } from '../support/history.js';
import { oneOf } from '../support/store-setup.js';
import type { Bin, Place } from './shelves.js';

const LONGEST_LOST_MS = 60;

export interface Asked {
  readonly bin: Bin;
  readonly write: Readonly<Record<string, unknown>>;
  /** Units that came or left; null for a count. */
  readonly units: number | null;
  readonly place: Place | null;
}

export interface Answered extends Asked {
  readonly code: string;
}

export class Desk {
  readonly applied = new Map<string, Asked>();
  readonly violations: string[] = [];
  readonly codes = new Map<string, number>();
  private requests = 0;

  constructor(
    private readonly shop: StockedStore,
    private readonly services: readonly { readonly url: string }[],
  ) {}

  async post(asked: readonly Asked[], refusals: readonly string[]): Promise<Answered[]> {
    const { random } = this.shop.context;
    const reference = `STOCK-${++this.requests}`;
    const lines = asked.map(({ bin, write }) => ({
      product_id: bin.productId,
      warehouse: 'MAIN',
      bin: bin.code,
      ...write,
    }));
    const request = { path: '/v1/stock', key: random(2) === 0 ? reference : null };
    const body = { reference, lines };
    if (random(4) === 0) {
      await this.shop.buyers.send(oneOf(this.services, random), {
        ...request,
        body,
        timeoutMs: 1 + random(LONGEST_LOST_MS),
      });
    }
    const exchange = await this.shop.buyers.insist(this.services, body, request);
    if (random(8) === 0) {
      const again = await this.shop.buyers.insist(this.services, body, { path: '/v1/stock' });
      if (!again.bytes.equals(exchange.bytes)) this.violations.push(`${reference} was answered with different bytes`);
    }
    if (exchange.status !== 200) throw new Error(`${reference} was answered ${exchange.status}`);
    return dataOf<{ lines: { code: string }[] }>(exchange).lines.map(({ code }, index) => {
      const answered = { ...(asked[index] as Asked), code };
      this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
      if (code === '') this.applied.set(`${reference} ${answered.bin.code}`, answered);
      else if (!refusals.includes(code)) {
        this.violations.push(`${reference}: ${JSON.stringify(lines[index])} was refused: ${code}`);
      }
      return answered;
    });
  }
}
