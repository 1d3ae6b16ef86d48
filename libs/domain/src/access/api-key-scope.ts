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

/**
 * What `full` does not contain: own prices of orders, access itself, and the settings of the store. `team` is for people
 * only.
 */
export const RESERVED_SCOPES = ['pricing', 'keys', 'settings', 'team'] as const;

const NAMED_SCOPES = [...WRITE_SCOPES, ...RESERVED_SCOPES] as const;

export type ScopeWord = (typeof NAMED_SCOPES)[number];

/** What a key permits: `full` is every word of `WRITE_SCOPES`, `read` changes nothing, `read,fulfillment` also ships. */
export type ApiKeyScope = 'full' | 'read' | `read,${string}`;

/**
 * Builds the scope of a key from words in any order. Returns `null` for an unknown word, for `team`, which no key has,
 * and for `full` with other words, which would limit it.
 */
export function parseApiKeyScope(text: string): ApiKeyScope | null {
  const words = text.split(',').map((word) => word.trim());
  const known: readonly string[] = ['full', 'read', ...WRITE_SCOPES, 'pricing', 'keys', 'settings'];
  if (!words.every((word) => known.includes(word))) return null;
  if (words.includes('full')) return words.every((word) => word === 'full') ? 'full' : null;
  return scopeOf(words);
}

/** @param words of `NAMED_SCOPES`; `read` is always part of a scope. */
export function scopeOf(words: readonly string[]): ApiKeyScope {
  return ['read', ...NAMED_SCOPES.filter((word) => words.includes(word))].join(',') as ApiKeyScope;
}

/** Lists the words of a scope. `full` has every word but those of `RESERVED_SCOPES`. */
export function wordsOf(scope: ApiKeyScope): readonly string[] {
  return scope === 'full' ? ['read', ...WRITE_SCOPES] : scope.split(',');
}

/**
 * Whether the scope lists the word itself. `full` lists no word, so the key of a shop does not open drafts by their
 * address.
 */
export function names(scope: ApiKeyScope, word: ScopeWord): boolean {
  return scope.split(',').includes(word);
}

/** @param needed the scope must permit at least one of these words. */
export function permits(scope: ApiKeyScope, ...needed: readonly ScopeWord[]): boolean {
  const words = wordsOf(scope);
  return needed.some((word) => words.includes(word));
}

/**
 * Whether a holder of the scope may grant the other one. `full` also covers words that later versions add, so only
 * those who manage the team may grant it.
 */
export function mayGive(scope: ApiKeyScope, given: ApiKeyScope): boolean {
  if (given === 'full') return names(scope, 'team');
  const words = wordsOf(scope);
  return wordsOf(given).every((word) => words.includes(word));
}
