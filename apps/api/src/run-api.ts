import type { AddressInfo } from 'node:net';
import {
  type Config,
  type Extension,
  type JsonLogger,
  reportUnknownKeys,
  startTracing,
  UnfitDatabase,
  UnknownSchema,
} from '@app/infrastructure';
import { Readiness } from '@app/health';
import { DataDirUnusable, EmbeddedPostgresInUse } from '@store-commerce/embedded-postgres';
import {
  onShutdownSignal,
  openDatabase,
  type OpenDatabase,
  requireOneNest,
  runProcess,
  type ServiceProcess,
  TwoCopiesOfNest,
} from '@app/startup';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { UndeclaredRoute } from './auth/route-access.js';
import { createApp } from './create-app.js';
import { MAX_CONNECTIONS } from './http/server/connection-limit.js';
import { Demo } from './start/demo.js';
import { shutDown } from './start/shutdown.js';
import { firstWelcome, welcomeBack } from './start/welcome.js';

/** Load balancers probe every few seconds. A developer's Ctrl-C needs no such wait. */
const GRACE_MS = 5_000;
/** Ends a shutdown that hangs. Orchestrators commonly kill after 30 s. */
const GIVE_UP_MS = 28_000;

/** Runs the API as the whole program of this process. */
export function runApi(extension?: Extension): void {
  runProcess((process) => main(process, extension), explain);
}

async function main({ config, logger, die }: ServiceProcess, extension?: Extension): Promise<void> {
  if (extension) requireOneNest();
  let stop = (): void => process.exit(0);
  onShutdownSignal(() => stop(), { afterMs: GIVE_UP_MS, end: () => process.exit(1) });

  const stopTracing = config.tracing ? await startTracing('store-commerce-api') : () => Promise.resolve();
  const database = await openDatabase(config, logger, 'owned', extension?.migrations);
  const app = await start(config, database, logger, extension);
  const isService = config.databaseUrl !== null || process.env.NODE_ENV === 'production';
  stop = () => {
    logger.log('Shutting down', 'Process');
    shutDown(app, database, isService ? GRACE_MS : 0)
      .then(stopTracing)
      .then(() => logger.flush())
      .then(() => process.exit(0), die);
  };
}

/** Starts to serve. A failed start leaves nothing running. */
async function start(
  config: Config,
  database: OpenDatabase,
  logger: JsonLogger,
  extension?: Extension,
): Promise<NestFastifyApplication> {
  let app: NestFastifyApplication | null = null;
  try {
    app = await createApp(config, database.url, logger, extension);
    if (config.databaseUrl === null) await listenWithDemo(app, config, new Demo(app, database.url));
    else logger.log(`Listening at ${await listen(app, config)}`, 'Start');
    void reportUnknownKeys(app, logger);
    return app;
  } catch (error) {
    await app?.close();
    await database.stop();
    throw error;
  }
}

async function listenWithDemo(app: NestFastifyApplication, config: Config, demo: Demo): Promise<void> {
  const readiness = app.get(Readiness);
  readiness.serving = false;
  const isFirst = await demo.loadOnce();
  const address = await listen(app, config);
  // Creates the keys last: a start that fails would lose them.
  const place = { address, dataDir: config.dataDir };
  const text = isFirst ? firstWelcome(place, await demo.firstSteps()) : welcomeBack(place);
  process.stdout.write(`${text}\n`);
  readiness.serving = true;
}

/** Returns the address at which the service listens. */
async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<string> {
  // By default, the kernel queues 511 connections. It then drops the handshakes and requests of further clients, and some
  // wait 15 s for a reset.
  await app.listen({ host, port, backlog: MAX_CONNECTIONS });
  const { address, port: bound } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return `http://${address.includes(':') ? `[${address}]` : address}:${bound}`;
}

/** One line for an error that an operator can correct; the stack for any other. */
function explain(error: NodeJS.ErrnoException & { port?: number }): string {
  const isCorrectable = [
    DataDirUnusable,
    EmbeddedPostgresInUse,
    TwoCopiesOfNest,
    UndeclaredRoute,
    UnfitDatabase,
    UnknownSchema,
  ].some((kind) => error instanceof kind);
  if (isCorrectable) return error.message;
  const variable = error.port === Number(process.env.METRICS_PORT) ? 'METRICS_PORT' : 'PORT';
  if (error.code === 'EADDRINUSE') return `Port ${error.port} is already in use: choose another one with ${variable}.`;
  if (error.code === 'EACCES' && error.port)
    return `Port ${error.port} needs privileges: choose another one with ${variable}.`;
  return error.stack ?? error.message;
}
