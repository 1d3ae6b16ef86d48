import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../support/service.js';
import type { StockedStore } from '../support/shop.js';
import { AcknowledgedOrders } from './acknowledged-orders.js';
import type { Cluster } from './cluster.js';
import type { Fault } from './faults.js';
import { Traffic } from './traffic.js';

const QUIET_MS = 2_000;

export class Campaign {
  readonly violations: string[] = [];
  readonly figures: string[] = [];

  constructor(
    private readonly shop: StockedStore,
    private readonly cluster: Cluster,
  ) {}

  /** @param label unique: it begins the keys. @throws Error when the cluster or the orders do not come back. */
  async wage(faults: readonly Fault[], services: readonly Service[], label: string): Promise<void> {
    const traffic = new Traffic(this.shop, services, label);
    try {
      for (const fault of faults) await this.cause(fault, traffic, services);
    } finally {
      await traffic.stop();
      this.violations.push(...traffic.violations);
    }
  }

  private async cause(fault: Fault, traffic: Traffic, services: readonly Service[]): Promise<void> {
    const { context, buyers } = this.shop;
    const { cluster } = this;
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
    this.figures.push(
      [fault.title, `${orders.longestSilence.toFixed(1)} s without orders`, figure ?? []].flat().join(': '),
    );
    // The whole takes a quarter of an hour.
    process.stderr.write(`  ${this.figures.at(-1)}\n`);
  }
}
