import { setTimeout as delay } from 'node:timers/promises';
import type { Rig } from '../support/rig.js';
import type { Cluster } from './cluster.js';
import type { Processes } from './cluster-rig.js';

const ETCD_FROZEN_MS = 40_000;
const STANDBY_FROZEN_MS = 30_000;
/** How long the former primary stays frozen after another member took over. */
const FROZEN_ON_MS = 5_000;

export interface Fault {
  readonly title: string;
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
  run: (cluster) => cluster.switchOver(),
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
  run: (cluster) => cluster.etcd.freeze(ETCD_FROZEN_MS),
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

export const rollingUpdates = (rig: Rig, { services, worker }: Processes): readonly Fault[] => [
  {
    title: 'through PgBouncer: both API processes and the worker replaced in turn',
    run: async () => {
      for (const process of [...services, worker]) {
        await process.terminate();
        await rig.restart(process);
      }
    },
  },
  {
    title: 'through PgBouncer: every member’s PostgreSQL restarted, the primary’s after a switch-over',
    run: async (cluster) => {
      const primary = await cluster.primary();
      for (const standby of cluster.members.filter((member) => member !== primary)) {
        await standby.ask('restart');
        await cluster.untilWhole();
      }
      await cluster.switchOver();
      await cluster.untilWhole();
      await primary.ask('restart');
    },
  },
  { ...primaryKilled, title: `through PgBouncer: ${primaryKilled.title}` },
];
