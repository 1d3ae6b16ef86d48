import { beginBranch } from '@app/infrastructure';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { withDatabase } from '../database.js';
import { print, say } from '../output.js';

export function addFeed(program: Command): void {
  const feed = addCommand(program, 'feed', 'the feed of changes');
  const what = 'mark this database as a copy for the readers of its feed; run it before the service starts on it';
  addYes(addCommand(feed, 'new-branch', what)).action(async (options: YesOption) => {
    await confirm('Mark this database as a copy? The readers of its feed will read everything again.', options);
    await withDatabase(async ({ url }) => {
      const branch = await beginBranch(url);
      say('Readers that are ahead of this database will read everything again.');
      print({ branch });
    });
  });
}
