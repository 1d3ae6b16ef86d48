import { AUDIT_ACTIONS, AUDIT_SUBJECTS, type AuditEntry as Entry } from '@app/application';
import { ACTOR, toActor } from './actor.js';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const AuditEntry = representation(
  'AuditEntry',
  is.object({
    at: is.timestamp('When it happened.'),
    actor: ACTOR,
    action: is.oneOf(AUDIT_ACTIONS, 'What happened. New actions may be added.', { example: 'person.changed' }),
    subject: is.object(
      {
        kind: is.oneOf(AUDIT_SUBJECTS, 'New kinds may be added.', { example: 'person' }),
        id: is.text('Its id or code; `""` when it has none.', '01a22d4b-da56-7388-a303-e67b001202ef'),
        name: is.text('Its name at that time; `""` when it has none.', 'Ben'),
      },
      'What it is about.',
    ),
    changes: is.freeForm(
      'The values before and after, by field: `[before, after]`. Secrets are never shown; a long value is shortened.',
      { role: ['warehouse', 'support'] },
    ),
    address: is.orNull(
      is.text('The address of the client; null for a command and for the service itself.', '192.0.2.7'),
    ),
  }),
);

export function toAuditEntry({ at, actor, action, subject, changes, address }: Entry): ValueOf<typeof AuditEntry> {
  return {
    at: at.toISOString(),
    actor: toActor(actor),
    action,
    subject: { kind: subject.kind, id: subject.id, name: subject.name },
    changes,
    address,
  };
}
