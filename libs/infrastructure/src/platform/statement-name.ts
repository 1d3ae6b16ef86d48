/** Returns the name in the comment that a statement begins with, such as `orders.insert`; null when there is none. */
export function statementName(text: string): string | null {
  return /^\s*\/\* ([a-z_.]+) \*\//.exec(text)?.[1] ?? null;
}
