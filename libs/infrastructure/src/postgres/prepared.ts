import type pg from 'pg';
import { statementName } from '../platform/statement-name.js';

const names = new Map<string, string>();

/** @param text one of a bounded number of texts: each connection parses and plans it once. */
export function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `${statementName(text) ?? 'statement'}#${names.size}`));
  return { name, text, values: values as unknown[] };
}
