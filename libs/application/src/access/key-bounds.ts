import { mayGive, names, wordsOf } from '@app/domain';
import type { ApiKeyLookup, ApiKeyRecord } from '../ports/api-key.repository.js';
import { isWithin } from './networks.js';

/** What a key may do, where and until when. */
export type KeyRights = Pick<ApiKeyRecord, 'mode' | 'scope' | 'networks' | 'trusted' | 'expiresAt'>;

/**
 * A key grants at most what its maker has: otherwise a stolen key could make a better one. A session does not bound
 * networks, mode and expiry, because its own are those of a sign-in.
 * @param given the rights of a new key, or of one that is rolled or activated.
 * @param maker the key of the request.
 * @param whose ` of the old key`, where the request does not name the rights itself.
 * @returns what exceeds the rights of the maker, with what is possible; null when nothing does.
 */
export function excessOf(given: KeyRights, maker: ApiKeyLookup, whose = ''): string | null {
  const withheld = maker.person ? (['team'] as const) : (['keys', 'team'] as const);
  const words = wordsOf(maker.scope).filter((word) => !withheld.some((other) => other === word));
  const possible = [...(mayGive(maker.scope, 'full') ? ['full'] : []), ...words];
  const excess = given.scope.split(',').filter((word) => !possible.includes(word));
  const scopeFault = `scope${whose} must not contain ${excess.join(', ')}: the allowed scopes are ${possible.join(', ')}`;
  // @protects given-scope
  if (!mayGive(maker.scope, given.scope)) return scopeFault;
  // @protects given-access
  if (withheld.some((word) => names(given.scope, word))) return scopeFault;
  return maker.person ? null : excessOfMachine(given, maker, whose);
}

function excessOfMachine(
  { mode, networks, trusted, expiresAt }: KeyRights,
  maker: ApiKeyLookup,
  whose: string,
): string | null {
  // @protects given-mode
  if (mode !== maker.mode) return `mode${whose} must be ${maker.mode}`;
  const outside = networks.filter((network) => !isWithin(network, maker.networks));
  const isWithinAll = networks.length > 0 && outside.length === 0;
  const which = outside.length > 0 ? `, not ${outside.join(', ')}` : '';
  const networkFault = `networks${whose} must be within ${maker.networks.join(', ')}${which}`;
  // @protects given-networks
  if (maker.networks.length > 0 && !isWithinAll) return networkFault;
  const end = maker.expiresAt;
  // @protects given-end
  if (end && (!expiresAt || expiresAt > end)) return `the end must be ${end.toISOString()} or earlier`;
  // @protects given-trust
  if (trusted) return 'only a person can roll or activate a trusted key';
  return null;
}
