import { withConnection } from '../postgres/connection.js';

const BEGIN = '/* branch.begin */ SELECT begin_branch()';
const NEWEST = '/* branch.newest */ SELECT id FROM change_branches ORDER BY number DESC LIMIT 1';

/**
 * Begins a new branch of the feed in a copy of a database that looks like the original: positions that the original
 * assigned after the copy stand for other changes. @returns the id of the branch.
 */
export async function beginBranch(url: string): Promise<string> {
  return withConnection(url, 'store-commerce-feed', async (connection) => {
    await connection.query(BEGIN);
    return (await connection.query<{ id: string }>(NEWEST))[0]?.id ?? '';
  });
}
