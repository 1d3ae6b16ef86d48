import { setTimeout as delay } from 'node:timers/promises';
import type { Buyers } from '../support/buyers.js';
import type { ProofContext } from '../support/proof.js';
import type { Service } from '../support/service.js';
import { AcknowledgedOrders } from './acknowledged-orders.js';
import type { Cluster } from './cluster.js';
import type { Fault } from './faults.js';
import { Traffic } from './traffic.js';

const QUIET_MS = 2_000;

export interface CampaignOptions {
  readonly context: ProofContext;
  readonly cluster: Cluster;
  readonly buyers: Buyers;
  readonly products: readonly number[];
}

/** Causes faults under load, and checks after each that every acknowledged order is there. */
export class Campaign {
  readonly violations: string[] = [];
  private readonly outcomes = new Map<string, { readonly silences: number[]; readonly figures: string[] }>();

  constructor(private readonly options: CampaignOptions) {}

  /** @param label unique: it begins the keys. @throws Error when the cluster or the orders do not come back. */
  async wage(faults: readonly Fault[], services: readonly Service[], label: string): Promise<void> {
    const { context, buyers, products } = this.options;
    const traffic = new Traffic({ buyers, products, services, random: context.random }, label);
    try {
      for (const fault of faults) await this.cause(fault, traffic, services);
    } finally {
      await traffic.stop();
      this.violations.push(...traffic.violations);
    }
  }

  private async cause(fault: Fault, traffic: Traffic, services: readonly Service[]): Promise<void> {
    const { context, cluster, buyers } = this.options;
    const { history, rig, random } = context;
    const first = history.exchanges.length;
    await delay(QUIET_MS);
    const figure = await fault.run(cluster);
    await cluster.untilWhole();
    await traffic.untilFlowing();
    await cluster.checkpoint();
    await delay(QUIET_MS);

    const orders = new AcknowledgedOrders(history, first);
    const found = [...(await orders.lostIn(rig.database)), ...(await orders.replay(buyers, services, random))];
    this.violations.push(...found.map((violation) => `${fault.title}: ${violation}`));
    const outcome = this.outcomes.get(fault.title) ?? { silences: [], figures: [] };
    this.outcomes.set(fault.title, outcome);
    outcome.silences.push(orders.longestSilence);
    if (figure) outcome.figures.push(figure);
    // A line per fault: the whole takes a quarter of an hour.
    process.stderr.write(`  ${fault.title}: ${[`${orders.longestSilence.toFixed(1)} s`, figure].join(' ')}\n`);
  }

  /** A figure for each kind of fault. */
  get figures(): string[] {
    return [...this.outcomes].map(([title, { silences, figures }]) => {
      const times = silences.length > 1 ? `${silences.length} × ` : '';
      const range = [...new Set([Math.min(...silences), Math.max(...silences)].map((time) => time.toFixed(1)))];
      return [`${times}${title}: ${range.join('–')} s without orders`, ...figures].join(', ');
    });
  }
}
