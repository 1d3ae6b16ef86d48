import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './cluster.js';

const ETCD_FROZEN_MS = 40_000;
const STANDBY_FROZEN_MS = 30_000;
/** How long the former primary stays frozen after another member took over. */
const FROZEN_ON_MS = 5_000;

/** A fault of the cluster. Ends when every member works again. */
export interface Fault {
  readonly title: string;
  /** @returns a figure, in words. */
  run(cluster: Cluster): Promise<string | void>;
}

export const primaryKilled: Fault = {
  title: 'kill -9 of the primary and its Patroni',
  run: async (cluster) => {
    const primary = await cluster.primary();
    await primary.kill();
    await cluster.primary(primary.name);
    primary.start();
  },
};

export const switchedOver: Fault = {
  title: 'switch-over',
  run: async (cluster) => {
    await cluster.switchOver();
  },
};

export const primaryFrozen: Fault = {
  title: 'the primary’s PostgreSQL frozen, and thawed after the fail-over',
  run: async (cluster) => {
    const primary = await cluster.primary();
    primary.freeze();
    await cluster.primary(primary.name);
    await delay(FROZEN_ON_MS);
    primary.thaw();
  },
};

export const etcdFrozen: Fault = {
  title: `all etcd members frozen for ${ETCD_FROZEN_MS / 1_000} s`,
  run: async (cluster) => {
    await cluster.etcd.freeze(ETCD_FROZEN_MS);
  },
};

export const standbyFrozen: Fault = {
  title: `the synchronous standby frozen for ${STANDBY_FROZEN_MS / 1_000} s`,
  run: async (cluster) => {
    const standby = await cluster.synchronousStandby();
    standby.freeze();
    await delay(STANDBY_FROZEN_MS);
    standby.thaw();
  },
};
