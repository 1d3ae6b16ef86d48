import type { ApiKeyLookup, PublicStoreProfile } from '@app/application';
import { RESERVED_SCOPES, ROLES, wordsOf, WRITE_SCOPES } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const ApiKey = representation(
  'ApiKey',
  is.object({
    name: is.text('`""` when there is none.', 'ERP'),
    mode: is.oneOf(['live', 'test'], 'Whether its orders are test orders.'),
    scope: is.arrayOf(
      is.oneOf(['read', ...WRITE_SCOPES, ...RESERVED_SCOPES], 'New words may be added.'),
      'Scopes of the key. `full` contains all but `pricing`, `keys`, `settings` and `team`.',
    ),
    networks: is.arrayOf(is.text('In CIDR notation.', '192.0.2.0/24'), 'Allowed networks; empty = any.'),
    expires_at: is.orNull(is.timestamp('When it ends; null = never.')),
    store: is.object(
      {
        id: is.id('The store.', 1),
        name: is.text('Display name.', 'Acme'),
        subdomain: is.text('Name of the store in URLs. Unique.', 'acme'),
        currency: is.text('ISO 4217 code of all prices and amounts of the store.', 'USD'),
        time_zone: is.text('IANA name of the time zone of the store.', 'Europe/Berlin'),
      },
      'The store that the key opens.',
    ),
    person: is.orNull(
      is.object(
        {
          id: is.text('Stable.', '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c'),
          name: is.text('Display name.', 'Ada Lovelace'),
          email: is.text('In lower case.', 'ada@example.com'),
          role: is.oneOf(ROLES, 'Role of the person.'),
        },
        'Whose session it is; null for the key of a machine.',
      ),
      null,
    ),
  }),
);

export function toApiKeyResponse(key: ApiKeyLookup, store: PublicStoreProfile): ValueOf<typeof ApiKey> {
  return {
    name: key.name,
    mode: key.mode,
    scope: wordsOf(key.scope),
    networks: key.networks,
    expires_at: key.expiresAt?.toISOString() ?? null,
    store: {
      id: store.id,
      name: store.name,
      subdomain: store.subdomain,
      currency: store.currency,
      time_zone: store.timeZone,
    },
    person: key.person && {
      id: key.person.id,
      name: key.person.name,
      email: key.person.email,
      role: key.person.role,
    },
  };
}
