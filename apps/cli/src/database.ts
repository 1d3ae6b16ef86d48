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
import { withEmbeddedDatabase } from '@app/startup';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandFailed } from './failures.js';

/** A database with the current schema, and the configuration that names it. */
export interface OperatorsDatabase {
  readonly config: Config;
  /** Contains the password: never print it. */
  readonly url: string;
}

/**
 * Runs `work` on the configured database, or on the embedded one. The embedded one is started when it does not run, and
 * migrated.
 *
 * @throws CommandFailed when the schema of the configured database is not current, and when `work` throws NotFound: the
 *   message then names the database.
 */
export async function withDatabase<T>(work: (database: OperatorsDatabase) => Promise<T>): Promise<T> {
  const config = new Config(process.env);
  // Not through a pooler: its time limits are meant for requests.
  const url = config.databaseDirectUrl;
  try {
    if (url === null) {
      return await withEmbeddedDatabase(config.dataDir, async (embedded) => {
        await migrate(embedded);
        return work({ config, url: embedded });
      });
    }
    await assertSchemaIsCurrent(url);
    return await work({ config, url });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // The usual cause is an environment that names another database than intended.
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

/** Migrates the configured database, or the embedded one. */
export async function migrateDatabase(): Promise<MigrationReport> {
  const config = new Config(process.env);
  return config.databaseDirectUrl === null
    ? withEmbeddedDatabase(config.dataDir, migrate)
    : migrate(config.databaseDirectUrl);
}

async function assertSchemaIsCurrent(url: string): Promise<void> {
  const current = await withMaintenanceConnection(url, (dataSource) =>
    isSchemaCurrent((text, values) => dataSource.query<unknown[]>(text, values)),
  ).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(`Cannot use the database: ${error.message || error.code}`);
  });
  if (!current) throw new CommandFailed('The database schema is not up to date: run `npm run cli -- migrate` first.');
}
