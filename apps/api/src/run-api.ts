import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FeedWatch, MAX_CONNECTIONS } from '@app/application';
import { type Config, type Extension, reportUnknownKeys, signInLink, startTracing } from '@app/infrastructure';
import { Readiness } from '@app/health';
import {
  onShutdownSignal,
  openDatabase,
  type OpenDatabase,
  requireOneNest,
  runProcess,
  type ServiceProcess,
} from '@app/startup';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './create-app.js';
import { Demo } from './start/demo.js';
import { firstWelcome, welcomeBack } from './start/welcome.js';

/**
 * Load balancers probe every few seconds, so the process waits before it closes. A developer's Ctrl-C does not wait.
 */
const GRACE_MS = 5_000;
/** How long running requests may take. Afterwards, open connections are cut. */
const IN_FLIGHT_MS = 20_000;
/** Ends a shutdown that hangs. Orchestrators commonly kill after 30 s. */
const SHUTDOWN_TIMEOUT_MS = 28_000;

export function runApi(extension?: Extension): void {
  runProcess((process) => main(process, extension), explain);
}

/** A failed start leaves nothing running. */
async function main({ config, logger, die }: ServiceProcess, extension?: Extension): Promise<void> {
  if (extension) requireOneNest();
  let stop = (): void => process.exit(0);
  onShutdownSignal(() => stop(), { afterMs: SHUTDOWN_TIMEOUT_MS, end: () => process.exit(1) });

  const stopTracing = config.tracing ? await startTracing('store-commerce-api') : () => Promise.resolve();
  const database = await openDatabase(config, logger, 'owned', extension?.migrations);
  let app: NestFastifyApplication | undefined;
  try {
    app = await createApp(config, database.url, logger, extension);
    if (config.databaseUrl === null) await listenWithDemo(app, config, database.url);
    else logger.log(`Listening at ${await listen(app, config)}`, 'Start');
  } catch (error) {
    await app?.close();
    await database.stop();
    throw error;
  }
  void reportUnknownKeys(app, logger);

  const running = app;
  const isService = config.databaseUrl !== null || process.env.NODE_ENV === 'production';
  stop = () => {
    logger.log('Shutting down', 'Process');
    shutDown(running, database, isService ? GRACE_MS : 0)
      .then(stopTracing)
      .then(() => logger.flush())
      .then(() => process.exit(0), die);
  };
}

/** Listens when the demo store is loaded and its keys are printed. */
async function listenWithDemo(app: NestFastifyApplication, config: Config, databaseUrl: string): Promise<void> {
  const readiness = app.get(Readiness);
  readiness.serving = false;
  const demo = new Demo(app, databaseUrl);
  const isFirst = await demo.loadOnce();
  const address = await listen(app, config);
  const token = config.dashboard ? await demo.signInToken() : null;
  const port = Number(new URL(address).port);
  const link = token === null ? null : signInLink({ ...config, port }, token);
  const instance = { address, dataDir: config.dataDir, signInLink: link };
  // The keys are created last: a start that fails would lose them.
  const text = isFirst ? firstWelcome(instance, await demo.firstSteps()) : welcomeBack(instance);
  process.stdout.write(`${text}\n`);
  readiness.serving = true;
}

async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<string> {
  // The kernel queues 511 connections by default. Beyond that, it drops the handshakes and requests of further
  // clients, and some wait 15 s for a reset.
  await app.listen({ host, port, backlog: MAX_CONNECTIONS });
  const { address, port: bound } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return `http://${address.includes(':') ? `[${address}]` : address}:${bound}`;
}

async function shutDown(app: NestFastifyApplication, database: OpenDatabase, graceMs: number): Promise<void> {
  app.get(Readiness).serving = false;
  // Clients that wait for a change get their answer now, and send the next request to another instance.
  app.get(FeedWatch, { strict: false }).close();
  await delay(graceMs);
  const server: Server = app.getHttpServer();
  const cut = setTimeout(() => server.closeAllConnections(), IN_FLIGHT_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
    await database.stop();
  }
}

const DEFECTS: readonly unknown[] = [Error, TypeError, RangeError, ReferenceError, SyntaxError];

/**
 * Returns the message of an error that an operator can correct. An error of a built-in class is a defect: for it, the
 * stack is returned.
 */
function explain(error: NodeJS.ErrnoException & { port?: number }): string {
  const variable = error.port === Number(process.env.METRICS_PORT) ? 'METRICS_PORT' : 'PORT';
  if (error.code === 'EADDRINUSE') return `Port ${error.port} is already in use: set ${variable} to another port.`;
  if (error.code === 'EACCES' && error.port)
    return `Port ${error.port} requires privileges: set ${variable} to another port.`;
  return (DEFECTS.includes(error.constructor) && error.stack) || error.message;
}
