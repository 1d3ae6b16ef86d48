import { askedOf, type Representation } from '@app/representations';
import type { TSchema } from '@sinclair/typebox';
import type { RawQuery } from './parameters.js';

export interface Column {
  /** The field, with those around it: `customer.name`. */
  readonly name: string;
  /** Returns the value of a row, or of one of its lines. */
  readonly valueOf: (row: unknown, line: unknown) => unknown;
}

type Members = Readonly<Record<string, TSchema>>;
type Read = Column['valueOf'];

/**
 * Returns the columns of a list. They depend on the request alone: an empty list has the same ones. Each field of an
 * object has its own column.
 * @param lines the field with the lines of a row, when each line is a row of the table.
 */
export function columnsOf({ schema }: Representation, query: RawQuery, lines: string | null): Column[] {
  return columnsIn(membersOf(schema) ?? {}, '', (row) => row);

  function columnsIn(members: Members, path: string, read: Read): Column[] {
    return Object.entries(members).flatMap(([field, member]) => {
      if (!isShown(member, query)) return [];
      const name = path + field;
      if (name === lines) return columnsIn(membersOf(member.items as TSchema) ?? {}, `${name}.`, (_row, line) => line);
      const valueOf: Read = (row, line) => (read(row, line) as Readonly<Record<string, unknown>> | null)?.[field];
      const own = membersOf(member);
      return own ? columnsIn(own, `${name}.`, valueOf) : [{ name, valueOf }];
    });
  }
}

/** Returns null for a value that has no fixed fields. */
function membersOf({ properties }: TSchema): Members | null {
  return (properties as Members | undefined) ?? null;
}

function isShown(member: TSchema, query: RawQuery): boolean {
  const asked = askedOf(member);
  if (asked === null) return true;
  const sent = [query[asked.parameter] ?? []].flat().flatMap((value) => value.split(','));
  return asked.word === undefined ? sent.length > 0 : sent.some((word) => word.trim() === asked.word);
}
