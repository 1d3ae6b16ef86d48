import { ApplicationModule } from '@app/application';
import { NotFound } from '@app/domain';
import {
  Config,
  InfrastructureModule,
  type MigrationReport,
  isSchemaCurrent,
  migrate,
  withMaintenanceConnection,
} from '@app/infrastructure';
import { attachOrStartEmbeddedPostgres } from '@app/embedded-postgres';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandFailed } from './failures.js';

/** A database whose schema is current, and the configuration it came from. */
export interface OperatorsDatabase {
  readonly config: Config;
  /** Contains the password: never print it. */
  readonly url: string;
}

/**
 * Runs `work` on the configured database, or on the embedded one, which is started for it where it does not run and
 * whose schema is brought up to date.
 *
 * @throws CommandFailed when the configured database has another schema, and for what `work` does not find, with the
 *   database that was asked.
 */
export async function withDatabase<T>(work: (database: OperatorsDatabase) => Promise<T>): Promise<T> {
  const config = new Config(process.env);
  // Past a pooler, whose time limits are those of requests.
  const url = config.databaseDirectUrl;
  try {
    if (url === null) {
      return await onEmbedded(config, async (embedded) => {
        await migrate(embedded);
        return work({ config, url: embedded });
      });
    }
    await assertSchemaIsCurrent(url);
    return await work({ config, url });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // Most often it is there, and the environment names another database than was meant.
    const where = url === null ? `the embedded database of ${config.dataDir}` : 'the database of DATABASE_URL';
    throw new CommandFailed(`${error.message}\nLooked in ${where}.`);
  }
}

/** Runs `work` with the use cases and ports of the service. */
export function withApplication<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  return withDatabase(async ({ config, url }) => {
    const modules = ApplicationModule.on([InfrastructureModule.on(config, url)]);
    const app = await NestFactory.createApplicationContext(modules, { logger: false, abortOnError: false });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  });
}

/** Brings the schema of the configured database, or of the embedded one, up to date. */
export async function migrateDatabase(): Promise<MigrationReport> {
  const config = new Config(process.env);
  return config.databaseDirectUrl === null ? onEmbedded(config, migrate) : migrate(config.databaseDirectUrl);
}

async function onEmbedded<T>({ dataDir }: Config, work: (url: string) => Promise<T>): Promise<T> {
  const server = await attachOrStartEmbeddedPostgres({ dataDir });
  try {
    return await work(server.url);
  } finally {
    await server.stop();
  }
}

async function assertSchemaIsCurrent(url: string): Promise<void> {
  const current = await withMaintenanceConnection(url, (dataSource) =>
    isSchemaCurrent((text, values) => dataSource.query<unknown[]>(text, values)),
  ).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(`Cannot use the database: ${error.message || error.code}`);
  });
  if (!current) throw new CommandFailed('The database schema is not up to date: run `npm run cli -- migrate` first.');
}
