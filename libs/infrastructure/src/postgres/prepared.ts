import type pg from 'pg';
import { statementName } from '../platform/statement-name.js';

/** A connection keeps about 70 kB for each. Other combinations of filters are parsed and planned on each run. */
export const MAX_PREPARED = 500;

const names = new Map<string, string>();

/** Each connection parses and plans a text once, unless {@link MAX_PREPARED} others were sent before. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined && names.size < MAX_PREPARED) {
    names.set(text, (name = `${statementName(text) ?? 'statement'}#${names.size}`));
  }
  return { ...(name !== undefined && { name }), text, values: values as unknown[] };
}
