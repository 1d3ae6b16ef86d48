/** The comment that a statement begins with, such as `orders.insert`; null without one. */
export function statementName(text: string): string | null {
  return /^\s*\/\* ([a-z_.]+) \*\//.exec(text)?.[1] ?? null;
}
