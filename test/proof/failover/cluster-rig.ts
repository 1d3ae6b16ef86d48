import { createDatabase, Rig } from '../support/rig.js';
import type { TestDatabase } from '../../support/test-database.js';
import { Cluster } from './cluster.js';

/** The rig's database is on a cluster, at the address that follows the primary. */
export class ClusterRig extends Rig {
  private constructor(
    readonly cluster: Cluster,
    database: TestDatabase,
  ) {
    super(database, null);
  }

  static override async open(): Promise<ClusterRig> {
    const cluster = await Cluster.start();
    try {
      const database = await createDatabase(cluster.url);
      // The database goes with the cluster: without standbys its removal would wait forever.
      return new ClusterRig(cluster, { ...database, drop: () => Promise.resolve() });
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  override async close(): Promise<void> {
    await super.close();
    await this.cluster.stop();
  }
}
