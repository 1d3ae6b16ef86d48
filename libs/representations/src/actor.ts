import type { Actor } from '@app/domain';
import type { Static } from '@sinclair/typebox';
import * as is from './schema.js';

export const ACTOR = is.object(
  {
    type: is.oneOf(
      ['key', 'person', 'operator', 'pipeline', 'system'],
      'An API key, a person, a command, or the service itself with its extensions.',
    ),
    id: is.text('Of the key or the person; `""` for the others.', '0199a1c2-7b3e-7c44-8d8e-3a4d1f0a5b6c'),
    name: is.text(
      'Of the key or the person, of the account that ran the command, or `extension:` and that of the extension; `""` when there is none.',
      'ERP',
    ),
  },
  'Who did it.',
);

export function toActor({ type, id, name }: Actor): Static<typeof ACTOR> {
  return { type, id, name };
}
