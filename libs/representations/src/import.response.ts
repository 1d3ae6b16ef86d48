import { IMPORT_RESULTS, IMPORT_SCOPES, type ImportedLine } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const KINDS = Object.keys(IMPORT_SCOPES);

export const ImportResult = representation(
  'ImportResult',
  is.object({
    lines: is.arrayOf(
      is.object({
        line: is.integer('Counts the lines of the request from 1, in NDJSON also blank ones.', 1),
        kind: is.oneOf(['', ...KINDS], 'The kind of the line; `""` when it has none of these.', {
          example: 'product',
          names: ['unknown', ...KINDS],
        }),
        id: is.text(
          'The id of the record, as text; of a warehouse its code, of a bin `WAREHOUSE/BIN`. `""` for a refused line.',
          '70',
        ),
        result: is.oneOf(IMPORT_RESULTS, 'Result of the line.'),
        error: is.text('Why the line is refused; `""` for any other.', ''),
        warning: is.text(
          'Warning about the effect of the line, such as a sale of more units than in stock; else `""`.',
          '',
        ),
      }),
      'The result of each line, in their order.',
    ),
  }),
);

export function toImportResult(lines: readonly ImportedLine[]): ValueOf<typeof ImportResult> {
  return { lines: lines.map(({ kind, ...line }) => ({ ...line, kind: kind ?? '' })) };
}
