const CREATE = `CREATE DATABASE … ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0`;

const ENCODING = `/* database.encoding */ SELECT current_setting('server_encoding') AS encoding`;

// The statement tests the behaviour, because several settings decide it: the provider of the locale, its name and
// LC_CTYPE. With the locale C, only ASCII has letter cases. With a Turkish one, the pairs are I and ı, İ and i.
const LETTERS = `/* database.letters */ SELECT lower('ÄI') = 'äi' AND upper('äi') = 'ÄI' AS "areFolded"`;

/**
 * The database cannot hold every text, or does not find texts in any letter case. This cannot be changed: a new
 * database is needed.
 */
export class UnfitDatabase extends Error {
  constructor(reason: string) {
    super(`${reason}: use a database made with ${CREATE}.`);
  }
}

/** @throws UnfitDatabase unless the database stores UTF-8 and its locale folds letter cases as Unicode does. */
export async function assertDatabaseIsFit(
  query: (text: string, values: unknown[]) => Promise<unknown[]>,
): Promise<void> {
  const [{ encoding }] = (await query(ENCODING, [])) as [{ encoding: string }];
  // The encoding is checked first: the letters of the other statement do not exist in every encoding.
  if (encoding !== 'UTF8') throw new UnfitDatabase(`The encoding of the database is ${encoding}, not UTF8`);
  const [{ areFolded }] = (await query(LETTERS, [])) as [{ areFolded: boolean }];
  if (!areFolded) throw new UnfitDatabase('The locale of the database does not match Ä with ä and I with i');
}
