import type { MigrationInterface } from 'typeorm';
import { Schema1795564800000 } from './migrations/1795564800000-schema.js';

/** The name of the class ends with the time in ms at which it was written: migrations run in this sequence. */
export type Migration = new () => MigrationInterface;

/** Migrations of an extension, and the schema that has its tables. */
export interface OwnMigrations {
  /** Consists of lower-case letters, digits and underscores. The schema is created if it does not exist. */
  readonly schema: string;
  /** The migrations must follow the rules of docs/migrations.md. */
  readonly migrations: readonly Migration[];
}

/** All migrations of the service. */
export const MIGRATIONS: readonly Migration[] = [Schema1795564800000];
