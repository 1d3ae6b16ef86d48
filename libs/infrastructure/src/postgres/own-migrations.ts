import { readMigrations, type Migration } from './migrations.js';

/** Migrations of an extension, and the schema that has its tables. */
export interface OwnMigrations {
  /** Lower-case letters, digits and underscores. Created if it does not exist. */
  readonly schema: string;
  /** The directory of the SQL files, by the rules of docs/migrations.md. */
  readonly directory: string;
}

/** Migrations that have been read from their files. */
export interface SchemaMigrations {
  readonly schema: string;
  readonly migrations: readonly Migration[];
}

/**
 * @throws when the schema is not the extension's own or its name would need quotes, and when the numbers of the files are
 *   not 1, 2, 3, …
 */
export function readOwnMigrations({ schema, directory }: OwnMigrations): SchemaMigrations {
  const isOwn = /^[a-z_][a-z0-9_]{0,62}$/.test(schema) && !/^(public|information_schema|pg_.*)$/.test(schema);
  if (!isOwn) throw new Error(`${schema} cannot be the schema of an extension: give lower-case letters, digits and _`);
  return { schema, migrations: readMigrations(directory) };
}
