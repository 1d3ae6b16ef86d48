import type { Command } from 'commander';
import { migrateDatabase } from '../database.js';
import { printJson, say } from '../output.js';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date; safe to run from several processes at once')
    .action(async () => {
      const { applied } = await migrateDatabase();
      say(applied.length === 0 ? 'The schema was up to date.' : `Migrations applied: ${applied.length}.`);
      printJson({ applied });
    });
}
