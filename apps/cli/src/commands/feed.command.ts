import { beginBranch } from '@app/infrastructure';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { withDatabase } from '../database.js';
import { print, say } from '../output.js';

export function addFeed(program: Command): void {
  const feed = addCommand(program, 'feed', 'the feed of changes');
  const what =
    'mark this database as a restored copy, so that readers of its feed start again; run it before the service starts';
  addYes(addCommand(feed, 'new-branch', what)).action(async (options: YesOption) => {
    await confirm(
      'Mark this database as a restored copy? Readers that are ahead of it will read everything again.',
      options,
    );
    await withDatabase(async ({ url }) => {
      const branch = await beginBranch(url);
      say('Readers that are ahead of this database will read everything again.');
      print({ branch });
    });
  });
}
