import { DataSource, type EntityManager } from 'typeorm';
import { confirmedTransaction } from './confirmed-transaction.js';
import { maintenanceOptions } from './data-source.js';
import { translated } from './postgres-errors.js';

const DEMAND_HOME = '/* stores.demand_home */ SELECT demand_home($1)';

/**
 * Connections without the time limits of requests, for operator commands. Each use opens and closes its own. Throws
 * errors of PostgreSQL as application errors, except those of work on the result of `open`.
 */
export class MaintenanceConnection {
  /** @param url direct, not through a pooler. */
  constructor(readonly url: string) {}

  run<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
    return translated(withMaintenanceConnection(this.url, work));
  }

  /**
   * Runs one `confirmedTransaction` that writes rows of a store.
   *
   * @throws StoreMoved
   */
  transaction<T>(storeId: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.run((dataSource) =>
      confirmedTransaction(dataSource, async (manager) => {
        await manager.query(DEMAND_HOME, [storeId]);
        return work(manager);
      }),
    );
  }

  /** The caller destroys the result. */
  open(): Promise<DataSource> {
    return translated(openMaintenanceConnection(this.url));
  }
}

export async function withMaintenanceConnection<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const dataSource = await openMaintenanceConnection(url);
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function openMaintenanceConnection(url: string): Promise<DataSource> {
  return new DataSource(maintenanceOptions(url, 2)).initialize();
}
