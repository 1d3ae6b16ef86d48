import type { SmtpSink } from '../../support/smtp-sink.js';
import type { ProcessOptions, Rig } from '../support/rig.js';
import type { Service } from '../support/service.js';

export interface Processes {
  /** Two API processes. */
  readonly services: readonly Service[];
  readonly worker: Service;
}

export interface ProcessesAt {
  readonly mails: SmtpSink;
  /** Of a pooler. Default: the address that follows the primary. */
  readonly port?: number;
}

/** @throws Error when one does not become ready. */
export async function startProcesses(rig: Rig, { mails, port }: ProcessesAt): Promise<Processes> {
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
