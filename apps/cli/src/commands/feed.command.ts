import { beginBranch } from '@app/infrastructure';
import type { Command } from 'commander';
import { withDatabase } from '../database.js';
import { printJson, say } from '../output.js';

export function addFeed(program: Command): void {
  program
    .command('feed')
    .description('the feed of changes')
    .command('new-branch')
    .description('mark this database as a copy for the readers of its feed, before the service starts on it')
    .action(() =>
      withDatabase(async ({ url }) => {
        const branch = await beginBranch(url);
        say('Readers that have read changes which this database lacks will read everything again.');
        printJson({ branch });
      }),
    );
}
