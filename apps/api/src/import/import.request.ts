import { importKindOf, IMPORT_SCOPES, type ApiKeyLookup, type ImportLine, type ImportRequest } from '@app/application';
import { parseJson } from '@app/bundles';
import { permits } from '@app/domain';
import { BadRequestException } from '@nestjs/common';
import { unknownField } from '../body/body.pipe.js';
import { InvalidFields, shortName, type Fault } from '../errors/invalid-fields.js';
import { isJsonObject } from '../body/fields.js';
import { Ndjson } from '../body/body-limits.js';
import { AuthenticationError } from '../errors/request-errors.js';

export const MAX_IMPORT_LINES = 500;
/** Limits the split: blank lines do not count as lines, but still take time. */
const MAX_SPLIT = 10 * MAX_IMPORT_LINES;

/** The content of a line is checked later, because a line may be refused alone. @throws BadRequestException */
export function readImport(body: unknown): Pick<ImportRequest, 'isAtomic' | 'lines'> {
  if (body === undefined) throw new BadRequestException('Request body is empty');
  if (body instanceof Ndjson) {
    const lines = linesOf(body.text);
    if (!isFew(lines)) throw new BadRequestException(`The request body must have 1 to ${MAX_IMPORT_LINES} lines`);
    return { isAtomic: false, lines };
  }
  if (!isJsonObject(body)) throw new BadRequestException('The request body must be a JSON object');
  const { lines, atomic = null, ...others } = body;
  const faults = [
    ...(lines === undefined || lines === null ? [{ path: 'lines', message: 'is required' }] : faultsOf(lines)),
    ...(atomic === null || typeof atomic === 'boolean' ? [] : [{ path: 'atomic', message: 'must be true or false' }]),
    ...Object.keys(others).map((name) => unknownField(shortName(name))),
  ];
  if (faults.length > 0) throw new InvalidFields(faults);
  const values = lines as readonly unknown[];
  return { isAtomic: atomic === true, lines: values.map((value, index) => ({ line: index + 1, value, fault: null })) };
}

function faultsOf(lines: unknown): Fault[] {
  if (!Array.isArray(lines)) return [{ path: 'lines', message: 'must be an array' }];
  return isFew(lines) ? [] : [{ path: 'lines', message: `must have 1 to ${MAX_IMPORT_LINES} entries` }];
}

function isFew({ length }: readonly unknown[]): boolean {
  return length >= 1 && length <= MAX_IMPORT_LINES;
}

function linesOf(text: string): ImportLine[] {
  const lines = text.replace(/^\ufeff/, '').split('\n', MAX_SPLIT + 1);
  if (lines.length > MAX_SPLIT) return [];
  return lines.flatMap((each, index) => (each.trim() === '' ? [] : [readLine(index + 1, each)]));
}

function readLine(line: number, text: string): ImportLine {
  try {
    return { line, value: parseJson(text), fault: null };
  } catch (error) {
    return { line, value: null, fault: (error as Error).message };
  }
}

/** @throws AuthenticationError when the scope lacks what a kind of line needs. */
export function refuseKinds({ scope, person }: ApiKeyLookup, lines: readonly ImportLine[]): void {
  const kinds = new Set(lines.map(({ value }) => importKindOf(value)));
  for (const kind of kinds) {
    const needed = kind && IMPORT_SCOPES[kind];
    // @protects import-scope
    if (needed && !permits(scope, needed)) throw new AuthenticationError({ lacks: [needed] }, person !== null);
  }
}
