import { CursorInvalid, decodeCursor, type ApiKeyLookup, type StockLine } from '@app/application';
import { COUNT_BASES, MAX_DATED_DAYS, MAX_INT4, type CountBasis, type StockWrite } from '@app/domain';
import * as is from '../body/fields.js';
import { faultsOfUnit, NO_UNIT, textOfLine, toUnit, UnitFields } from '../body/unit-fields.js';
import { readLine } from '../body/body.pipe.js';
import type { Fault } from '../errors/invalid-fields.js';

const MAX_STOCK_LINES = 500;

export class StockLineRequest extends UnitFields {
  @is.CodeField({ description: 'Code of the warehouse. Not needed where only one bin is possible.' })
  warehouse?: string | null;

  @is.CodeField({ description: 'Code of the bin. Not needed where only one bin is possible.' })
  bin?: string | null;

  @is.IntegerField({
    min: -MAX_INT4,
    max: MAX_INT4,
    isOptional: true,
    description: 'Units to add (positive) or remove (negative). The stock never falls below 0.',
  })
  adjust?: number;

  @is.IntegerField({ min: 0, max: MAX_INT4, isOptional: true, description: 'New quantity of the bin.' })
  set?: number;

  @is.IntegerOrNullField({
    min: 0,
    max: MAX_INT4,
    description: 'Required with `set`: the current quantity that you expect. Null overwrites any quantity.',
  })
  expected?: number | null;

  @is.IntegerField({ min: 0, max: MAX_INT4, isOptional: true, description: 'Units that were counted at `as_of`.' })
  counted?: number;

  @is.TextField({
    max: 1000,
    description:
      'Required with `counted`: the `cursor` of an answer of `GET /v1/changes` with `has_more: false`, as of which was counted.',
  })
  as_of?: string | null;

  @is.OptionalWordField({
    words: COUNT_BASES,
    description:
      'Required with `counted`. `available`: the count excludes what is sold. `on_hand`: all that lay on the shelf; ' +
      'units of orders that were placed and not shipped at `as_of` are taken off. `in_bin`: the same, but units of a ' +
      'shipment that was `picking` had left the bin already.',
  })
  basis?: CountBasis | null;
}

export class ChangeStockRequest {
  @is.ReferenceField({ description: 'Your own number of the request. Unique in the store, for ever.' })
  reference?: string | null;

  @is.TextField({ max: 500, description: 'Reason, recorded in the ledger.' })
  reason?: string | null;

  @is.TimestampField({
    description: `When the units moved, for the ledger. Absent: now. At most ${MAX_DATED_DAYS} days ago (422 \`dated_too_early\`).`,
  })
  at?: string | null;

  @is.FlagField({ default: false, description: 'Whether nothing changes when one line is refused.' })
  atomic?: boolean | null;

  @is.FlagField({
    default: false,
    description: 'Whether to create a bin that a line names and its warehouse lacks.',
  })
  create_bins?: boolean | null;

  @is.LinesField(StockLineRequest, {
    max: MAX_STOCK_LINES,
    description: 'Each with one of `adjust`, `set` and `counted`.',
  })
  lines!: unknown[];
}

export function toStockLine(sent: unknown, key: ApiKeyLookup): StockLine {
  const { line, faults: ofForm } = readLine(StockLineRequest, sent);
  const faults = ofForm.length > 0 ? ofForm : faultsOf(line);
  if (faults.length > 0) return invalidLine(sent, textOfLine(faults));
  try {
    return {
      ...toUnit(line),
      warehouse: line.warehouse ?? null,
      bin: line.bin ?? null,
      write: toWrite(line),
      asOf: line.as_of ? decodeCursor(line.as_of, { storeId: key.store.id, mode: key.mode }) : null,
      invalid: null,
    };
  } catch (error) {
    if (!(error instanceof CursorInvalid)) throw error;
    return invalidLine(sent, error.message);
  }
}

function invalidLine(sent: unknown, error: string): StockLine {
  const nothing = { ...NO_UNIT, warehouse: null, bin: null, asOf: null } as const;
  return { ...nothing, write: { kind: 'adjust', by: 0 }, invalid: { sent, error } };
}

function faultsOf(line: StockLineRequest): Fault[] {
  const { adjust, set, expected, counted, as_of, basis } = line;
  const given = [adjust, set, counted].filter((value) => value !== undefined);
  return [
    ...faultsOfUnit(line),
    ...(given.length === 1 ? [] : [{ path: '', message: 'must have one of adjust, set and counted' }]),
    ...(set !== undefined && expected === undefined ? [{ path: '.expected', message: 'is required' }] : []),
    ...(counted !== undefined && !as_of ? [{ path: '.as_of', message: 'is required' }] : []),
    ...(counted !== undefined && !basis ? [{ path: '.basis', message: 'is required' }] : []),
    ...(set === undefined && expected !== undefined ? [{ path: '.expected', message: 'requires set' }] : []),
    ...(counted === undefined && as_of ? [{ path: '.as_of', message: 'requires counted' }] : []),
    ...(counted === undefined && basis ? [{ path: '.basis', message: 'requires counted' }] : []),
  ];
}

function toWrite({ adjust, set, expected, counted, basis }: StockLineRequest): StockWrite {
  if (adjust !== undefined) return { kind: 'adjust', by: adjust };
  if (set !== undefined) return { kind: 'set', to: set, expected: expected ?? null };
  return { kind: 'count', counted: counted ?? 0, basis: basis ?? 'available' };
}
