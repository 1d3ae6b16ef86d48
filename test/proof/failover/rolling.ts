import type { Rig } from '../support/rig.js';
import { primaryKilled, type Fault } from './faults.js';
import type { Processes } from './processes.js';

/** A deployment of the service, then one of PostgreSQL, then a fault, for processes behind PgBouncer. */
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
