import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The build copies the directory beside this module. A bundle needs it beside itself, too. */
const DIRECTORY = path.join(import.meta.dirname, 'migrations');

/** The first line of a file whose statements must not run in a transaction. */
const WITHOUT_TRANSACTION = '-- without transaction';

/** One SQL file. */
export interface Migration {
  /** Its number: migrations run in this order. */
  readonly id: number;
  /** The name of the file without `.sql`, such as `0001-schema`. */
  readonly name: string;
  /** Whether the file runs in one transaction. Otherwise each statement commits separately. */
  readonly transaction: boolean;
  /** The whole file. Without a transaction, one text per statement; blank lines separate the statements. */
  readonly statements: readonly string[];
}

/**
 * All migrations, in order.
 *
 * @throws when the numbers are not 1, 2, 3, …: the build did not copy the directory, or left a renamed file in it.
 */
export function readMigrations(directory = DIRECTORY): Migration[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.sql'));
  const migrations = files.sort().map((file) => parseMigration(file, readFileSync(path.join(directory, file), 'utf8')));
  if (migrations.length === 0) throw new Error(`No migrations in ${directory}`);
  const gap = migrations.find(({ id }, index) => id !== index + 1);
  if (gap) throw new Error(`${gap.name} is not the next number in ${directory}`);
  return migrations;
}

export function parseMigration(file: string, sql: string): Migration {
  const transaction = !sql.startsWith(`${WITHOUT_TRANSACTION}\n`);
  const statements = transaction
    ? [sql]
    : sql
        .slice(WITHOUT_TRANSACTION.length)
        .trim()
        .split(/\n\s*\n/);
  return { id: Number(file.slice(0, 4)), name: file.replace(/\.sql$/, ''), transaction, statements };
}
