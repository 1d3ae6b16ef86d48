import type { ApiKeyRecord, ApiKeyUsage, RolledApiKey } from '@app/application';
import { RESERVED_SCOPES, wordsOf, WRITE_SCOPES } from '@app/domain';
import { Type } from '@sinclair/typebox';
import { ACTOR, toActor } from './actor.js';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const FIELDS = {
  id: is.uuid('Identifies the key.'),
  name: is.text('For people.', 'ERP'),
  mode: is.oneOf(['live', 'test'], 'Whether its orders are test orders.'),
  scope: is.arrayOf(
    is.oneOf(['read', ...WRITE_SCOPES, ...RESERVED_SCOPES], 'New words may be added.'),
    'Scopes of the key.',
    ['read', 'orders'],
  ),
  full: is.flag('Whether its scope is `full`, which also gets the words of later versions.'),
  networks: is.arrayOf(is.text('In CIDR notation.', '192.0.2.0/24'), 'Allowed networks; empty = any.'),
  trusted: is.flag('Whether the velocity rules ignore its orders.'),
  status: is.oneOf(['ACTIVE', 'DEACTIVATED', 'REVOKED'], 'Whether it is accepted, until `expires_at`.'),
  prefix: is.text('Beginning of the key.', 'svc_live_'),
  last_four: is.text('Last four characters of the key.', 'kP9x'),
  expires_at: is.orNull(is.timestamp('When it ends; null = never.', '2027-11-20T09:30:00.000Z')),
  last_used_at: is.orNull(is.timestamp('Its last request, exact to a minute; null = none.')),
  created_at: is.timestamp('When it was created.'),
  created_by: is.described(ACTOR, 'Creator of the key.'),
  changed_by: is.orNull(is.described(ACTOR, 'Who rolled it or changed its status last; null = unchanged.'), null),
  changed_at: is.orNull(is.timestamp('When.'), null),
  successor_id: is.orNull(is.uuid('The key that replaces it since a roll; null = it was not rolled.'), null),
  requests_7_days: is.integer('Requests in the last seven days. About the last minute may be missing.', 18204, 'int64'),
  refused_7_days: is.integer('Refused requests in the same time.', 3, 'int64'),
};

const SECRET = is.text('The key itself. Not shown again.', 'svc_live_4Zt1VbQ0sWm8Yx2Kd7Rf5Hg3Jn6Lp9AcXeUo0tkP9x');

export const StoreKey = representation('StoreKey', is.object(FIELDS));
export const NewKey = representation('NewKey', is.object({ ...FIELDS, key: SECRET }));
export const RolledKey = representation(
  'RolledKey',
  is.object({
    ...FIELDS,
    key: SECRET,
    replaces: is.object(
      {
        id: is.uuid('Of the old key.', '0199a1c2-6a2d-7b33-8d0e-1a5b7c9d3e4f'),
        expires_at: is.timestamp('When the old key ends.', '2026-11-27T09:30:00.000Z'),
      },
      'The key that it replaces.',
    ),
  }),
);

export const KeyUse = representation(
  'KeyUse',
  is.object({
    key_id: is.uuid('Of the key.'),
    name: is.text('Of the key.', 'ERP'),
    day: is.text('In UTC.', '2026-11-20'),
    requests: is.integer('Accepted requests, throttled ones included.', 2601, 'int64'),
    throttled: is.integer('Requests that were answered 429.', 0, 'int64'),
    refused: Type.Unsafe<Readonly<Record<string, number>>>({
      type: 'object',
      description: 'Refused requests by `X-Error-Code`, including those after the key expired.',
      additionalProperties: { type: 'integer', format: 'int64' },
      examples: [{ out_of_stock: 3 }],
    }),
  }),
);

export function toStoreKey(key: ApiKeyRecord): ValueOf<typeof StoreKey> {
  return {
    id: key.id,
    name: key.name,
    mode: key.mode,
    scope: wordsOf(key.scope),
    full: key.scope === 'full',
    networks: key.networks,
    trusted: key.trusted,
    status: key.status,
    prefix: key.prefix,
    last_four: key.lastFour,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
    created_by: toActor(key.createdBy),
    changed_by: key.changedBy && toActor(key.changedBy),
    changed_at: key.changedAt?.toISOString() ?? null,
    successor_id: key.successorId,
    requests_7_days: key.recentRequests,
    refused_7_days: key.recentRefusals,
  };
}

export function toNewKey(created: ApiKeyRecord & { readonly key: string }): ValueOf<typeof NewKey> {
  return { ...toStoreKey(created), key: created.key };
}

export function toRolledKey(
  oldId: string,
  { successor, key, oldKeyExpiresAt }: RolledApiKey & { readonly key: string },
): ValueOf<typeof RolledKey> {
  const replaces = { id: oldId, expires_at: oldKeyExpiresAt.toISOString() };
  return { ...toStoreKey(successor), key, replaces };
}

export function toKeyUse({ keyId, name, day, requests, throttled, refused }: ApiKeyUsage): ValueOf<typeof KeyUse> {
  return { key_id: keyId, name, day, requests, throttled, refused };
}
