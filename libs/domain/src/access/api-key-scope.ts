/** What a key may permit besides reading, in the order in which a scope names it. The schema checks the same words. */
export const WRITE_SCOPES = [
  'orders',
  'fulfillment',
  'payments',
  'stock',
  'webhooks',
  'catalog',
  'customers',
  'sales',
] as const;

export type WriteScope = (typeof WRITE_SCOPES)[number];

/** What a key permits: `full` is everything, `read` changes nothing, `read,fulfillment` also ships. */
export type ApiKeyScope = 'full' | 'read' | `read,${string}`;

/** Words in any order. `null` for an unknown word, and for `full` with others, which would limit it. */
export function parseApiKeyScope(text: string): ApiKeyScope | null {
  const words = text.split(',').map((word) => word.trim());
  const known: readonly string[] = ['full', 'read', ...WRITE_SCOPES];
  if (!words.every((word) => known.includes(word))) return null;
  if (words.includes('full')) return words.every((word) => word === 'full') ? 'full' : null;
  return ['read', ...WRITE_SCOPES.filter((word) => words.includes(word))].join(',') as ApiKeyScope;
}

/** One by one. `full` has every word. */
export function wordsOf(scope: ApiKeyScope): readonly string[] {
  return scope === 'full' ? ['read', ...WRITE_SCOPES] : scope.split(',');
}

/**
 * Whether the scope has the word itself. `full` names none: products that are not for sale do not appear to the key of a shop.
 */
export function names(scope: ApiKeyScope, word: WriteScope): boolean {
  return scope.split(',').includes(word);
}

/** @param needed one of which suffices. */
export function permits(scope: ApiKeyScope, ...needed: readonly WriteScope[]): boolean {
  const words = wordsOf(scope);
  return needed.some((word) => words.includes(word));
}
