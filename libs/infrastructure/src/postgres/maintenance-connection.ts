import { DataSource } from 'typeorm';
import { dataSourceOptions } from './data-source.js';

/** Runs `work` on connections of its own, without the time limits of requests, and closes them. */
export async function withMaintenanceConnection<T>(
  url: string,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const dataSource = await new DataSource(dataSourceOptions({ url, poolSize: 2, maintenance: true })).initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}
