import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Rig } from '../proof/support/rig.js';
import type { Service } from '../proof/support/service.js';
import { SmtpSink } from '../support/smtp-sink.js';
import { startStandby } from '../support/standby.js';
import { startHaproxy, startPgBouncer } from './programs.js';
import { Standby } from './standby.js';

/** A complete production deployment on this machine. */
export interface Place {
  readonly rig: Rig;
  /** The address that clients use: the balancer in front of the API processes. */
  readonly shop: { readonly url: string };
  readonly services: readonly Service[];
  readonly worker: Service;
  readonly standby: Standby;
  readonly mails: SmtpSink;
  close(): Promise<void>;
}

/** @throws Error when a program is missing, after cleaning up. */
export async function openPlace(): Promise<Place> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const end of closing.reverse()) await Promise.resolve(end()).catch(() => undefined);
  };
  try {
    return { ...(await open((end) => closing.push(end))), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(later: (end: () => unknown) => void): Promise<Omit<Place, 'close'>> {
  const rig = await Rig.open();
  later(() => rig.close());
  if (!rig.server) throw new Error('DATABASE_URL is set: the topology needs its own server');
  const direct = new URL(rig.database.url);
  const home = mkdtempSync(path.join(tmpdir(), 'store-commerce-standby-'));
  later(() => rmSync(home, { recursive: true, force: true }));
  chmodSync(home, 0o711);
  const server = await startStandby(rig.server, path.join(home, 'data'));
  later(() => server.stop());
  const standby = new Standby(server, atPort(direct, Number(new URL(server.url).port)));
  const pooler = await startPgBouncer(direct);
  later(() => pooler.stop());
  const mails = await SmtpSink.start();
  later(() => mails.close());

  const databaseUrl = atPort(direct, pooler.port);
  const env = {
    NODE_ENV: 'production',
    DATA_ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
    DATABASE_DIRECT_URL: direct.href,
    DATABASE_REPLICA_URLS: standby.url,
    SMTP_URL: mails.url,
  };
  const services = await Promise.all([1, 2].map(() => rig.startService({ databaseUrl, env })));
  const worker = await rig.startWorker({ databaseUrl, env });
  const balancer = await startHaproxy(services.map(({ url }) => url));
  later(() => balancer.stop());
  return { rig, shop: { url: `http://127.0.0.1:${balancer.port}` }, services, worker, standby, mails };
}

/** The database URL with another port of this machine. */
function atPort(url: URL, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.href;
}
