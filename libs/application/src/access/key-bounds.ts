import { mayGive, names, wordsOf } from '@app/domain';
import type { ApiKeyLookup, ApiKeyRecord } from '../ports/api-key.repository.js';
import { isWithin } from './networks.js';

/** What a key is good for. */
export type KeyRights = Pick<ApiKeyRecord, 'mode' | 'scope' | 'networks' | 'trusted' | 'expiresAt'>;

/**
 * A key gets at most what its maker has: otherwise a stolen key makes a better one. The networks, the mode and the end of a
 * session are those of a sign-in, and bound nothing.
 *
 * @param given the rights of a new key, or of one that is rolled or activated.
 * @param maker the key of the request.
 * @returns what exceeds the rights of the maker, with what is possible; null when nothing does.
 */
export function excessOf(given: KeyRights, maker: ApiKeyLookup): string | null {
  const withheld = maker.person ? (['team'] as const) : (['keys', 'team'] as const);
  const words = wordsOf(maker.scope).filter((word) => !withheld.some((other) => other === word));
  const possible = [...(mayGive(maker.scope, 'full') ? ['full'] : []), ...words].join(', ');
  const scopeFault = `scope may have ${possible}`;
  // @protects given-scope
  if (!mayGive(maker.scope, given.scope)) return scopeFault;
  // @protects given-access
  if (withheld.some((word) => names(given.scope, word))) return scopeFault;
  return maker.person ? null : excessOfMachine(given, maker);
}

function excessOfMachine({ mode, networks, trusted, expiresAt }: KeyRights, maker: ApiKeyLookup): string | null {
  // @protects given-mode
  if (mode !== maker.mode) return `mode must be ${maker.mode}`;
  const isAnywhere = networks.length === 0 || !networks.every((network) => isWithin(network, maker.networks));
  // @protects given-networks
  if (maker.networks.length > 0 && isAnywhere) return `networks must lie within ${maker.networks.join(', ')}`;
  const end = maker.expiresAt;
  // @protects given-end
  if (end && (!expiresAt || expiresAt > end)) return `the key must end by ${end.toISOString()}`;
  // @protects given-trust
  if (trusted) return 'a trusted key is rolled and activated by people only';
  return null;
}
