import { CHANGE_KINDS } from '@app/application';
import { booleanFilter, lastOf, LIMIT, clampedInteger, readWords, timeFilter } from '../query/parameters.js';
import { queryOf, type ValuesOf } from '../query/query.js';
import { invalidField } from '../errors/invalid-fields.js';

const MAX_WAIT_SECONDS = 25;

/** The cursor that means the end of the feed. */
export const NOW = 'now';
export const TWO_STARTS = 'cursor and from exclude each other: send one of them';

const UNKNOWN_KIND = `kinds must be one or more of ${CHANGE_KINDS.join(', ')}, separated by commas`;
const readKinds = readWords(UNKNOWN_KIND);

export type ChangesQuery = ValuesOf<typeof CHANGES_QUERY>;

export const CHANGES_QUERY = queryOf({
  cursor: {
    name: 'cursor',
    description:
      'The `cursor` of the answer before. Without one, the feed begins with everything that it contains. `now` is the end of ' +
      'the feed: the answer has no entries, and its cursor continues with what changes afterwards. The example shows the ' +
      'form only: the service returns 400 with `cursor_invalid` for it.',
    schema: { type: 'string', examples: ['MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0'] },
    read: lastOf,
  },
  from: timeFilter(
    'from',
    'Instead of a cursor: begins with the first change at or after this time. A time in the future is the end of the feed.',
  ),
  kinds: {
    name: 'kinds',
    description:
      `Only these kinds, separated by commas; all by default. A cursor belongs to its kinds: with a cursor, leave them out ` +
      'or repeat them. An empty list has no changes, and another word returns 400.',
    schema: { type: 'string', examples: [CHANGE_KINDS.slice(0, 2).join(',')] },
    refusal: UNKNOWN_KIND,
    read: (sent) => {
      const names = readKinds(sent)?.map((name) => name.toLowerCase());
      const kinds = CHANGE_KINDS.filter((kind) => names?.includes(kind));
      if (new Set(names).size > kinds.length) throw invalidField(UNKNOWN_KIND);
      return names && kinds;
    },
  },
  isTest: booleanFilter(
    'is_test',
    'of the orders, only test orders. A page may then be short, or empty, although there is more; a cursor belongs to the ' +
      'filter, as to the kinds',
    'only live orders',
  ),
  waitMs: {
    name: 'wait',
    description:
      `Seconds to hold an answer without changes until there is one, 0 to ${MAX_WAIT_SECONDS}. ` +
      'Values out of range are clamped, never rejected. A process that shuts down ends the wait.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0, examples: [MAX_WAIT_SECONDS] },
    read: (sent) => 1000 * clampedInteger(sent, 0, MAX_WAIT_SECONDS, 0),
  },
  limit: LIMIT,
});
