import { CHANGE_KINDS } from '@app/application';
import type { Filter } from '../openapi/parameters.js';
import type { QueryReader } from '../query/query-reader.js';

export const MAX_WAIT_SECONDS = 25;

export type ChangesQuery = ReturnType<typeof readChangesQuery>;

export function readChangesQuery(query: QueryReader) {
  const names = query
    .text('kinds')
    ?.split(',')
    .map((name) => name.trim().toLowerCase());
  return {
    cursor: query.text('cursor'),
    /** In their own order, without unknown names; undefined = not given. */
    kinds: names && CHANGE_KINDS.filter((kind) => names.includes(kind)),
    limit: query.limit(),
    waitMs: 1000 * query.count('wait', MAX_WAIT_SECONDS),
  };
}

export const CHANGES_PARAMETERS: readonly Filter[] = [
  {
    name: 'cursor',
    description:
      'The `cursor` of the answer before. Without one, the feed begins with everything that it contains. The example shows ' +
      'the form only: the service returns 400 with `cursor_invalid` for it.',
    schema: { type: 'string', examples: ['MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0'] },
  },
  {
    name: 'kinds',
    description:
      `Only these kinds, separated by commas; all by default. A cursor belongs to its kinds: with a cursor, leave them out ` +
      'or repeat them. A kind that does not exist has no changes.',
    schema: { type: 'string', examples: [CHANGE_KINDS.slice(0, 2).join(',')] },
  },
  {
    name: 'wait',
    description:
      `Seconds to hold an answer without changes until there is one, 0 to ${MAX_WAIT_SECONDS}. ` +
      'Values out of range are clamped, never rejected. A stream waits for its first change only. A process that shuts down ends the wait.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0, examples: [MAX_WAIT_SECONDS] },
  },
];
