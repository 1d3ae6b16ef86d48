import type pg from 'pg';

const names = new Map<string, string>();

/**
 * Names a statement, so that each connection has the server parse and plan it once.
 *
 * @param text one of a bounded number: code, composed of conditions that are there or not, never of values.
 */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `statement_${names.size}`));
  return { name, text, values: values as unknown[] };
}
