import type { SmtpSink } from '../../support/smtp-sink.js';
import type { TestDatabase } from '../../support/test-database.js';
import { createDatabase, Rig, type ProcessOptions } from '../support/rig.js';
import type { Service } from '../support/service.js';
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

export interface Processes {
  readonly services: readonly Service[];
  readonly worker: Service;
}

/** @param port the port of a pooler; when absent, the address that follows the primary. */
export async function startProcesses(
  rig: Rig,
  { mails, port }: { readonly mails: SmtpSink; readonly port?: number },
): Promise<Processes> {
  const databaseUrl = new URL(rig.database.url);
  if (port !== undefined) databaseUrl.port = String(port);
  const options: ProcessOptions = {
    databaseUrl: databaseUrl.href,
    env: {
      NODE_ENV: 'production',
      DATA_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
      DATABASE_DIRECT_URL: rig.database.url,
      SMTP_URL: mails.url,
    },
  };
  const services = await Promise.all([rig.startService(options), rig.startService(options)]);
  return { services, worker: await rig.startWorker(options) };
}
