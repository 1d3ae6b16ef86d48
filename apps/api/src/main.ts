import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Config, ConfigError, JsonLogger, UnknownSchema, logProcessOutput, startTracing } from '@app/infrastructure';
import { DataDirUnusable, EmbeddedPostgresInUse } from '@app/embedded-postgres';
import { reportUnknownKeys } from '@app/operations';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './create-app.js';
import { Demo } from './start/demo.js';
import { openDatabase, type OpenDatabase } from './start/open-database.js';
import { onShutdownSignal, shutDown } from './start/shutdown.js';
import { firstWelcome, welcomeBack } from './start/welcome.js';

/** Load balancers look every few seconds; nobody waits behind a developer's Ctrl-C. */
const GRACE_MS = 5_000;

async function main(): Promise<void> {
  const config = new Config(process.env);
  const logger = new JsonLogger(config.logLevel);
  logProcessOutput(logger);
  // The state of the process is unknown from here on. Whoever started it starts a new one.
  const die = (error: unknown) => {
    logger.fatal('An error was not caught anywhere', error, 'Process');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);

  let stop = (): void => process.exit(0);
  onShutdownSignal(() => stop());

  const stopTracing = config.tracing ? await startTracing('store-commerce-api') : () => Promise.resolve();
  const database = await openDatabase(config, logger);
  const app = await start(config, database, logger);
  const isService = config.databaseUrl !== null || process.env.NODE_ENV === 'production';
  stop = () => {
    logger.log('Shutting down', 'Process');
    shutDown(app, database, isService ? GRACE_MS : 0)
      .then(stopTracing)
      .then(() => process.exit(0), die);
  };
}

/** Starts to serve. When that fails, nothing is left running. */
async function start(config: Config, database: OpenDatabase, logger: JsonLogger): Promise<NestFastifyApplication> {
  let app: NestFastifyApplication | null = null;
  try {
    app = await createApp(config, database.url, logger);
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
  const isFirst = await demo.loadOnce();
  const address = await listen(app, config);
  // The keys come after all that can fail: nobody would ever see them.
  const place = { address, subdomain: demo.subdomain, dataDir: config.dataDir };
  const text = isFirst ? firstWelcome(place, await demo.firstSteps()) : welcomeBack(place);
  process.stdout.write(`${text}\n`);
}

/** Returns the address under which a person on this machine reaches the service. */
async function listen(app: NestFastifyApplication, { host, port }: Config): Promise<string> {
  await app.listen({ host, port });
  const { address, port: bound } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const isEverywhere = address === '0.0.0.0' || address === '::';
  return `http://${isEverywhere ? 'localhost' : address.includes(':') ? `[${address}]` : address}:${bound}`;
}

/** One line for what the person at the terminal can mend; everything else in full. */
function explain(error: NodeJS.ErrnoException & { port?: number }): string {
  if ([ConfigError, DataDirUnusable, EmbeddedPostgresInUse, UnknownSchema].some((kind) => error instanceof kind))
    return error.message;
  const variable = error.port === Number(process.env.METRICS_PORT) ? 'METRICS_PORT' : 'PORT';
  if (error.code === 'EADDRINUSE') return `Port ${error.port} is already in use: choose another one with ${variable}.`;
  if (error.code === 'EACCES' && error.port)
    return `Port ${error.port} needs privileges: choose another one with ${variable}.`;
  return error.stack ?? error.message;
}

main().catch((error: Error) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
