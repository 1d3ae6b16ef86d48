import { pathToFileURL } from 'node:url';
import type { Migration, OwnMigrations } from '@app/infrastructure';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { migrateDatabase } from '../database.js';
import { migrationFiles, storeId, type MigrationFiles } from '../option-values.js';
import { print, say } from '../output.js';

export function addMigrate(program: Command): void {
  addCommand(program, 'migrate', 'bring the database schema up to date; safe to run from several processes at once')
    .option(
      '--then <SCHEMA=DIRECTORY...>',
      'also run the migrations of an extension, in a separate schema',
      (text, others: readonly MigrationFiles[]) => [...others, migrationFiles(text)],
      [] as readonly MigrationFiles[],
    )
    .option('--first-store-id <N>', 'first id of new stores; choose another range for each cluster', storeId)
    .action(async ({ then, firstStoreId }: { then: readonly MigrationFiles[]; firstStoreId?: number }) => {
      const { applied } = await migrateDatabase(await Promise.all(then.map(load)), firstStoreId);
      say(applied.length === 0 ? 'The schema is up to date.' : `Migrations applied: ${applied.length}.`);
      print({ applied });
    });
}

async function load({ schema, files }: MigrationFiles): Promise<OwnMigrations> {
  const modules = files.map((file) => import(pathToFileURL(file).href) as Promise<Record<string, Migration>>);
  return { schema, migrations: (await Promise.all(modules)).flatMap(Object.values<Migration>) };
}
