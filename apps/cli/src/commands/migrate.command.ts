import type { Command } from 'commander';
import type { SchemaMigrations } from '@app/infrastructure';
import { migrateDatabase } from '../database.js';
import { ownMigrations } from '../option-values.js';
import { printJson, say } from '../output.js';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date; safe to run from several processes at once')
    .option(
      '--then <SCHEMA=DIRECTORY...>',
      'then the migrations of an extension, in a separate schema',
      (text, others: readonly SchemaMigrations[]) => [...others, ownMigrations(text)],
      [] as readonly SchemaMigrations[],
    )
    .action(async ({ then }: { then: readonly SchemaMigrations[] }) => {
      const { applied } = await migrateDatabase(then);
      say(applied.length === 0 ? 'The schema was up to date.' : `Migrations applied: ${applied.length}.`);
      printJson({ applied });
    });
}
