import { RESERVED_SCOPES, WRITE_SCOPES, scopeOf, type ApiKeyScope, type ScopeWord } from './api-key-scope.js';

/** What each role of a person permits besides reading. */
const WORDS = {
  owner: [...WRITE_SCOPES, ...RESERVED_SCOPES],
  manager: [...WRITE_SCOPES, 'pricing', 'settings'],
  warehouse: ['fulfillment', 'stock'],
  support: ['fulfillment', 'payments'],
  developer: ['webhooks', 'keys'],
  viewer: [],
} as const satisfies Record<string, readonly ScopeWord[]>;

export type Role = keyof typeof WORDS;

/** The roles from the most to the least permitted. The schema checks the same words. */
export const ROLES = Object.keys(WORDS) as readonly Role[];

/** The scope of the sessions of a person with the role. */
export function scopeOfRole(role: Role): ApiKeyScope {
  return scopeOf(WORDS[role]);
}
