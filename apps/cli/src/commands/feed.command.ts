import { beginBranch } from '@app/operations';
import type { Command } from 'commander';
import { withDatabase } from '../database.js';
import { printJson, say } from '../output.js';

export function addFeed(program: Command): void {
  program
    .command('feed')
    .description('the feed of changes')
    .command('new-branch')
    .description('tell the readers of the feed that this database is a copy; before the service starts on it')
    .action(() =>
      withDatabase(async ({ url }) => {
        const branch = await beginBranch(url);
        say('Readers that have read changes which this database lacks will read everything again.');
        printJson({ branch });
      }),
    );
}
