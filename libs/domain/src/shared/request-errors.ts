import { domainError, refusedLines, rejected } from './domain-error.js';

/** @param what the type of the resource, such as `Product`. */
export const NotFound = domainError('not_found', 'not_found', (what: string) => `${what} not found`);

/** @param command the operator's command that does the same without a limit. */
export const TooManyRows = rejected(
  'too_many_records',
  (what: string, most: number, command: string) =>
    `A request can handle at most ${most} ${what}: ask the operator to run \`store-commerce ${command}\``,
);

export const ReferenceTaken = rejected(
  'reference_taken',
  'Another request of this kind has this reference: send another reference',
);

export class ImportRefused extends refusedLines('import_refused') {}
