import type { Person as Member, PersonSession as SignIn } from '@app/application';
import { ROLES } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const Person = representation(
  'Person',
  is.object({
    id: is.uuid('Stable.'),
    email: is.text('In lower case. Unique in the store.', 'ada@example.com'),
    name: is.text('Display name.', 'Ada Lovelace'),
    role: is.oneOf(ROLES, 'Role of the person.'),
    created_at: is.timestamp('When the person was added.'),
    last_sign_in_at: is.orNull(is.timestamp('The last sign-in; null before the first.'), null),
    invited: is.flag('Whether the invitation is sent.', true),
  }),
);

export const PersonSession = representation(
  'PersonSession',
  is.object({
    id: is.uuid('Stable.', '0199a1c2-8d10-7aa4-9c11-5b1f0e2d3c4b'),
    device: is.text('The browser and the system; `""` when they are not known.', 'Firefox, Linux'),
    created_at: is.timestamp('The sign-in.'),
    last_used_at: is.orNull(is.timestamp('The last request, to about a minute; null before the first.')),
    expires_at: is.orNull(is.timestamp('When it ends.', '2026-11-20T21:30:00.000Z')),
    current: is.flag('Whether it is the session of the request.', true),
  }),
);

export function toPersonResponse(person: Member): ValueOf<typeof Person> {
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    role: person.role,
    created_at: person.createdAt.toISOString(),
    last_sign_in_at: person.lastSignInAt?.toISOString() ?? null,
    invited: person.isInvited,
  };
}

/** @param keyId the id of the request's key. */
export function toPersonSession(session: SignIn, keyId: string): ValueOf<typeof PersonSession> {
  return {
    id: session.id,
    device: session.device,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt?.toISOString() ?? null,
    expires_at: session.expiresAt?.toISOString() ?? null,
    current: session.keyIds.includes(keyId),
  };
}
