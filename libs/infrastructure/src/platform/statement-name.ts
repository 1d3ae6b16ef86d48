/**
 * The name of a statement: the comment that its text begins with, such as `orders.insert`. Spans, metrics, tests
 * and the log of PostgreSQL show it.
 *
 * @returns `null` for a statement without a name, such as COMMIT.
 */
export function statementName(text: string): string | null {
  return /^\s*\/\* ([a-z_.]+) \*\//.exec(text)?.[1] ?? null;
}
