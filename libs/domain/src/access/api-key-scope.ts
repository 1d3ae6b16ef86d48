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

/** What `full` does not contain: own prices of orders, and access itself. `team` is for people only. */
export const RESERVED_SCOPES = ['pricing', 'keys', 'team'] as const;

const NAMED_SCOPES = [...WRITE_SCOPES, ...RESERVED_SCOPES] as const;

export type ScopeWord = (typeof NAMED_SCOPES)[number];

/** What a key permits: `full` is every word of `WRITE_SCOPES`, `read` changes nothing, `read,fulfillment` also ships. */
export type ApiKeyScope = 'full' | 'read' | `read,${string}`;

/**
 * The scope of a key, of words in any order. `null` for an unknown word, for `team`, which no key has, and for `full` with
 * others, which would limit it.
 */
export function parseApiKeyScope(text: string): ApiKeyScope | null {
  const words = text.split(',').map((word) => word.trim());
  const known: readonly string[] = ['full', 'read', ...WRITE_SCOPES, 'pricing', 'keys'];
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
 * Whether the scope has the word itself. `full` names none: the key of a shop opens no draft by its address.
 */
export function names(scope: ApiKeyScope, word: ScopeWord): boolean {
  return scope.split(',').includes(word);
}

/** @param needed one of which suffices. */
export function permits(scope: ApiKeyScope, ...needed: readonly ScopeWord[]): boolean {
  const words = wordsOf(scope);
  return needed.some((word) => words.includes(word));
}

/**
 * Whether who has the scope may give the other one. `full`, which also gets the words of later versions, is given by those
 * who manage the team.
 */
export function mayGive(scope: ApiKeyScope, given: ApiKeyScope): boolean {
  if (given === 'full') return names(scope, 'team');
  const words = wordsOf(scope);
  return wordsOf(given).every((word) => words.includes(word));
}
