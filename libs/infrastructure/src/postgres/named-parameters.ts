import type { Statement } from './transaction-sql.js';

/**
 * Reads a statement with many parameters, which are written as `:name` and numbered in the sequence of their first use.
 * @returns a function that makes the statement from values, one for each name.
 */
export function withNames<Name extends string>(text: string): (values: Readonly<Record<Name, unknown>>) => Statement {
  const names: Name[] = [];
  const numbered = text.replace(/(?<!:):([a-z]\w*)/g, (_match, name: Name) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return (values) => ({ text: numbered, values: names.map((name) => values[name]) });
}
