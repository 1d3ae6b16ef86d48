import { existsSync } from 'node:fs';
import path from 'node:path';
import { ApplicationModule } from '@app/application';
import { NotFound } from '@app/domain';
import {
  assertDatabaseIsFit,
  beginStoreIdsAt,
  Config,
  InfrastructureModule,
  errorCode,
  type MigrationReport,
  type OwnMigrations,
  isPrivilegeMissing,
  isSchemaCurrent,
  migrate,
  withConnection,
} from '@app/infrastructure';
import { withEmbeddedDatabase } from '@app/startup';
import { RepresentationsModule } from '@app/representations';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandFailed, EXIT, sentence } from './failures.js';

/** A command ignores all other settings; the long-running processes check them at their start. */
const SETTINGS = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_POOL_SIZE',
  'DATA_DIR',
  'DATA_ENCRYPTION_KEYS',
  'NODE_ENV',
] as const;

export interface DatabaseOptions {
  /** Settings that the command reads in addition to those above. */
  readonly settings?: readonly ('WEBHOOK_ALLOW' | 'PUBLIC_URL' | 'PORT')[];
  /**
   * Whether the command may be the first one. For any other, a missing embedded database is a mistake in the
   * environment.
   */
  readonly mayCreate?: boolean;
}

export interface OperatorsDatabase {
  readonly config: Config;
  /** Contains the password, so it must never be printed. */
  readonly url: string;
}

/**
 * Opens the database. If none is configured, it starts and migrates the embedded database, and creates it when
 * `mayCreate` is set.
 * @throws CommandFailed when the configured database is unfit or its schema is not current.
 */
export async function withDatabase<T>(
  work: (database: OperatorsDatabase) => Promise<T>,
  { settings = [], mayCreate = false }: DatabaseOptions = {},
): Promise<T> {
  const config = readConfig(settings);
  // The direct URL bypasses a pooler, whose time limits are meant for requests.
  const url = config.databaseDirectUrl;
  try {
    if (url === null) {
      if (!mayCreate) assertDatabaseExists(config.dataDir);
      return await withEmbeddedDatabase(config.dataDir, async (embedded) => {
        await migrate(embedded);
        return work({ config, url: embedded });
      });
    }
    await assertSchemaIsCurrent(config, url);
    return await work({ config, url });
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    // The usual cause is an environment that names the wrong database.
    const where = url === null ? `the embedded database of ${config.dataDir}` : 'the database of DATABASE_URL';
    throw new CommandFailed(`${error.message}\nLooked in ${where}.`);
  }
}

export function withApplication<T>(
  work: (app: INestApplicationContext, config: Config) => Promise<T>,
  options: DatabaseOptions = {},
): Promise<T> {
  return withDatabase(async ({ config, url }) => {
    const modules = ApplicationModule.on([InfrastructureModule.on(config, url), RepresentationsModule]);
    const app = await NestFactory.createApplicationContext(modules, { logger: false, abortOnError: false });
    try {
      return await work(app, config);
    } finally {
      await app.close();
    }
  }, options);
}

/** @param firstStoreId the first id of new stores from now on. */
export async function migrateDatabase(own: readonly OwnMigrations[], firstStoreId?: number): Promise<MigrationReport> {
  const config = readConfig();
  const url = config.databaseDirectUrl;
  const run = async (direct: string) => {
    const report = await migrate(direct, undefined, own);
    if (firstStoreId !== undefined) await beginStoreIdsAt(direct, firstStoreId);
    return report;
  };
  return url === null
    ? withEmbeddedDatabase(config.dataDir, run)
    : run(url).catch((error: unknown) => {
        throw isPrivilegeMissing(error)
          ? new CommandFailed(`${sentence(error)}\n${adviceOnRights(url)}`)
          : explainSilence(config, error);
      });
}

function assertDatabaseExists(dataDir: string): void {
  if (existsSync(path.join(dataDir, 'postgres'))) return;
  throw new CommandFailed(`There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL.`, EXIT.usage);
}

function readConfig(more: DatabaseOptions['settings'] = []): Config {
  return new Config(Object.fromEntries([...SETTINGS, ...more].map((name) => [name, process.env[name]])));
}

async function assertSchemaIsCurrent(config: Config, url: string): Promise<void> {
  const current = await withConnection(url, 'store-commerce', async (connection) => {
    const query = (text: string, values: unknown[]) => connection.query(text, values);
    await assertDatabaseIsFit(query);
    return isSchemaCurrent(query);
  }).catch((error: unknown) => {
    const explained = explainSilence(config, error);
    throw explained === error ? new CommandFailed(`Cannot use the database: ${sentence(error)}`) : explained;
  });
  if (!current)
    throw new CommandFailed('The database schema is not up to date: run `npx store-commerce migrate` first.');
}

/** Names the variable whose server did not answer. Returns other errors unchanged. */
function explainSilence({ databaseUrl, databaseDirectUrl }: Config, error: unknown): unknown {
  // These are codes of sockets and of name resolution. SQLSTATEs do not match.
  if (!/^E[A-Z_]{3,}/.test(errorCode(error) ?? '')) return error;
  const variable = databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  return new CommandFailed(`The database of ${variable} did not answer: ${sentence(error)}`);
}

function adviceOnRights(url: string): string {
  const { username, pathname } = new URL(url);
  const role = `"${decodeURIComponent(username)}"`;
  const database = `"${decodeURIComponent(pathname.slice(1))}"`;
  return (
    `The role needs rights to migrate: GRANT CREATE ON DATABASE ${database} TO ${role}; ` +
    `GRANT CREATE, USAGE ON SCHEMA public TO ${role};`
  );
}
