import { CHANGE_KINDS, ChangeFeed, encodeCursor, MAX_LIMIT } from '@app/application';
import { beginBranch } from '@app/infrastructure';
import type { Command } from 'commander';
import { withApplication, withDatabase } from '../database.js';
import { findStore } from '../find-store.js';
import { subdomain } from '../option-values.js';
import { printJson, say } from '../output.js';

export function addFeed(program: Command): void {
  const feed = program.command('feed').description('the feed of changes');

  feed
    .command('new-branch')
    .description('tell the readers of the feed that this database is a copy; before the service starts on it')
    .action(() =>
      withDatabase(async ({ url }) => {
        const branch = await beginBranch(url);
        say('Readers that have read changes which this database lacks will read everything again.');
        printJson({ branch });
      }),
    );

  feed
    .command('cursor')
    .description('print the cursor of now, as of which `stock count` can report a count')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .action(({ store }: { store: string }) =>
      withApplication(async (app) => {
        const { id: storeId } = await findStore(app, store);
        const changes = app.get(ChangeFeed);
        const kinds = CHANGE_KINDS;
        const newest = (await changes.newest([storeId])).get(storeId);
        const position = Math.max(...Object.values(newest ?? {}));
        const { next } = await changes.read(storeId, { kinds, after: null, limit: 1 });
        // To the end, as a reader: what waits for its position, such as an import, comes after the newest one.
        let page = await changes.read(storeId, {
          kinds,
          after: { ...next, position, base: position },
          limit: MAX_LIMIT,
        });
        while (page.hasMore) page = await changes.read(storeId, { kinds, after: page.next, limit: MAX_LIMIT });
        const cursor = encodeCursor({ storeId, mode: 'live' }, { ...page.next, kinds, hasMore: false });
        printJson({ cursor });
      }),
    );
}
