import type pg from 'pg';
import { statementName } from '../platform/statement-name.js';

/**
 * The maximum number of prepared texts of one statement, such as a list with its combinations of filters. Further texts
 * are parsed and planned on each run: a connection uses about 70 kB for each prepared text.
 */
export const MAX_TEXTS = 30;

const names = new Map<string, string>();
const counts = new Map<string, number>();

/** Each connection parses and plans a text once, unless {@link MAX_TEXTS} others of the same statement were sent before. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    const statement = statementName(text) ?? 'statement';
    const count = counts.get(statement) ?? 0;
    if (count < MAX_TEXTS) {
      names.set(text, (name = `${statement}#${count}`));
      counts.set(statement, count + 1);
    }
  }
  return { ...(name !== undefined && { name }), text, values: values as unknown[] };
}
