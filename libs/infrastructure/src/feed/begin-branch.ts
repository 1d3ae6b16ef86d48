import { withOwnClient } from '../postgres/own-client.js';

const BEGIN = '/* branch.begin */ SELECT begin_branch()';
const NEWEST = '/* branch.newest */ SELECT id FROM change_branches ORDER BY number DESC LIMIT 1';

/**
 * Begins a branch of the feed in a copy of a database that looks like the original: positions that the original gave
 * after the copy stand for other changes. @returns the id of the branch.
 */
export async function beginBranch(url: string): Promise<string> {
  return withOwnClient(url, 'store-commerce-feed', async (client) => {
    await client.query(BEGIN);
    return (await client.query<{ id: string }>(NEWEST)).rows[0]?.id ?? '';
  });
}
