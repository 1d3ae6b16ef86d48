import { CHANGE_KINDS } from '@app/application';
import { booleanFilter, lastOf, LIMIT, readInteger, readWords, refusalOfWords } from '../query/parameters.js';
import { queryOf, type ValuesOf } from '../query/query.js';

const MAX_WAIT_SECONDS = 25;

const TOO_MANY_KINDS = refusalOfWords('kinds');
const readKinds = readWords(TOO_MANY_KINDS);
const readSeconds = readInteger({ min: 0, max: MAX_WAIT_SECONDS, preset: 0 });

export type ChangesQuery = ValuesOf<typeof CHANGES_QUERY>;

export const CHANGES_QUERY = queryOf({
  cursor: {
    name: 'cursor',
    description:
      'The `cursor` of the answer before. Without one, the feed begins with everything that it contains. The example shows ' +
      'the form only: the service returns 400 with `cursor_invalid` for it.',
    schema: { type: 'string', examples: ['MS4xLmxpdmUuMDE5OWExYzItN2IzZS03YzQ0'] },
    read: lastOf,
  },
  kinds: {
    name: 'kinds',
    description:
      `Only these kinds, separated by commas; all by default. A cursor belongs to its kinds: with a cursor, leave them out ` +
      'or repeat them. A kind that does not exist has no changes, and neither has an empty list.',
    schema: { type: 'string', examples: [CHANGE_KINDS.slice(0, 2).join(',')] },
    refusal: TOO_MANY_KINDS,
    read: (sent) => {
      const names = readKinds(sent)?.map((name) => name.toLowerCase());
      return names && CHANGE_KINDS.filter((kind) => names.includes(kind));
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
    read: (sent) => 1000 * readSeconds(sent),
  },
  limit: LIMIT,
});
