import { DataSource, type EntityManager } from 'typeorm';
import { confirmedTransaction } from './confirmed-transaction.js';
import { maintenanceOptions } from './data-source.js';
import { translated } from './postgres-errors.js';

/**
 * Connections without the time limits of requests, for operator commands. Each use opens and closes its own. Throws
 * errors of PostgreSQL as application errors, except those of work on the result of `open`.
 */
export class MaintenanceConnection {
  /** @param url direct, not through a pooler. */
  constructor(private readonly url: string) {}

  run<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
    return translated(withMaintenanceConnection(this.url, work));
  }

  /** Runs one `confirmedTransaction`. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.run((dataSource) => confirmedTransaction(dataSource, work));
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
