import { Fault, quoted } from './faults.js';
import type { SettingsObject } from './bundle.js';

/** Reads one value, or throws a {@link Fault} that names `path`. */
export type Field<T> = (value: unknown, path: string) => T;

interface Member<T> {
  readonly read: Field<T>;
  readonly required: boolean;
}

/** Every field of `T` has its reader: the compiler sees to it. */
export type Shape<T> = { readonly [K in keyof T]-?: Member<Exclude<T[K], undefined>> };

export const required = <T>(read: Field<T>): Member<T> => ({ read, required: true });
export const optional = <T>(read: Field<T>): Member<T> => ({ read, required: false });

/** An object with the fields of the shape and no other: a misspelt field would be lost without a word. */
export function object<T>(shape: Shape<T>): Field<T> {
  const members = Object.entries<Member<unknown>>(shape);
  const names = new Set(members.map(([name]) => name));
  return (value, path) => {
    const given = plainObject(value, path);
    for (const name of Object.keys(given)) {
      if (!names.has(name)) throw new Fault(path, `has no field ${quoted(name)}`);
    }
    const read: Record<string, unknown> = {};
    for (const [name, member] of members) {
      if (given[name] !== undefined) read[name] = member.read(given[name], `${path}.${name}`);
      else if (member.required) throw new Fault(`${path}.${name}`, 'is required');
    }
    return read as T;
  };
}

export function list<T>(item: Field<T>): Field<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Fault(path, 'must be a list');
    return value.map((element, index) => item(element, `${path}[${index}]`));
  };
}

export const orNull =
  <T>(read: Field<T>): Field<T | null> =>
  (value, path) =>
    value === null ? null : read(value, path);

/** Text that may be empty; null is no value too. Lengths are in code points. */
export function text(max: number): Field<string> {
  return (value, path) => {
    if (value === null) return '';
    if (typeof value !== 'string') throw new Fault(path, 'must be text');
    // A string is at least as long in UTF-16 units as in code points.
    if (value.length > max && Array.from(value).length > max) {
      throw new Fault(path, `must have at most ${max} characters`);
    }
    if (!isStorable(value)) throw new Fault(path, 'must not contain NUL or half a surrogate pair');
    return value;
  };
}

/** Text that identifies or names something: not blank, and without blanks around it. */
export function name(max: number): Field<string> {
  const read = text(max);
  return (value, path) => {
    const given = read(value, path);
    if (given.trim() === '') throw new Fault(path, 'must not be empty');
    if (given.trim() !== given) throw new Fault(path, 'must not begin or end with blanks');
    return given;
  };
}

/** Text of which `isValid` is true. */
export function textLike(isValid: (text: string) => boolean, problem: string, max = 200): Field<string> {
  const read = text(max);
  return (value, path) => {
    const given = read(value, path);
    if (!isValid(given)) throw new Fault(path, problem);
    return given;
  };
}

export function oneOf<T extends string>(values: readonly T[]): Field<T> {
  return (value, path) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Fault(path, `must be one of ${values.join(', ')}`);
    return found;
  };
}

export function integer(min: number, max: number): Field<number> {
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw new Fault(path, `must be an integer from ${min} to ${max}`);
    }
    return value;
  };
}

export const flag: Field<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new Fault(path, 'must be true or false');
  return value;
};

const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** An ISO 8601 moment with its offset; read as UTC in milliseconds. */
export const timestamp: Field<string> = (value, path) => {
  const parts = typeof value === 'string' ? TIMESTAMP.exec(value) : null;
  const moment = parts && new Date(parts[0]);
  // Date takes 30 February for 2 March.
  const days = parts && new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate();
  if (
    !parts ||
    !moment ||
    Number.isNaN(moment.getTime()) ||
    Number(parts[3]) > Number(days) ||
    isBeforeYearOne(moment)
  ) {
    throw new Fault(path, 'must be a timestamp such as "2026-01-02T03:04:05.000Z"');
  }
  return moment.toISOString();
};

const isBeforeYearOne = (moment: Date) => moment.getUTCFullYear() < 1 || moment.getUTCFullYear() > 9999;

const MAX_DEPTH = 32;

/** A JSON object that is kept as it is. */
export const settings: Field<SettingsObject> = (value, path) => {
  assertStorable(value, path, MAX_DEPTH);
  return plainObject(value, path);
};

export function plainObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Fault(path, 'must be an object');
  return value as Record<string, unknown>;
}

function assertStorable(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string' && !isStorable(value)) {
    throw new Fault(path, 'must not contain NUL or half a surrogate pair');
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw new Fault(path, `must not be nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, member] of Object.entries(value)) {
    assertStorable(key, path, depth);
    assertStorable(member, path, depth - 1);
  }
}

/** Whether PostgreSQL can keep the text: it takes every character but NUL, and no half of a surrogate pair. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
