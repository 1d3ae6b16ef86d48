import { METADATA_SCHEMA, type Metadata } from '@app/domain';
import type { OpenAPIObject } from '@nestjs/swagger';
import {
  Type,
  TypeGuard,
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';

type Components = NonNullable<OpenAPIObject['components']>;
type Schema = NonNullable<Components['schemas']>[string];
export type ReferenceObject = Extract<Schema, { $ref: string }>;
export type SchemaObject = Exclude<Schema, ReferenceObject>;

/**
 * The type that a mapper returns, the document and its example derive from one declaration. Members are required,
 * except those in `optional`.
 */
export const object = <T extends TProperties>(properties: T, description?: string): TObject<T> =>
  Type.Object(properties, { ...(description && { description }) });

/**
 * Returns the same schema with another description. The type is explicit, because a declaration file cannot express
 * that of a spread schema.
 */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** The parameter that adds a member to the rows of a list, with the word that it must have; any value without one. */
export interface Asked {
  readonly parameter: string;
  readonly word?: string;
}

/** A symbol, so that the document does not show it. */
const ASKED = Symbol('what adds the member');

/** A member that rows have only when the request asks for it. */
export const onlyWith = <T extends TSchema>(schema: T, parameter: string, word?: string) => {
  const description = `${schema.description} Only with \`${parameter}${word === undefined ? '' : `=${word}`}\`.`;
  const asked: Asked = { parameter, ...(word !== undefined && { word }) };
  return optional<T>({ ...schema, description, [ASKED]: asked });
};

/** What a request must send so that rows have the member; null for nothing. */
export const askedOf = (schema: TSchema): Asked | null => (schema as { [ASKED]?: Asked })[ASKED] ?? null;

/**
 * Members that a list contains only when its `include` names them. @param word the word in `include`; when absent, each
 * member has its own.
 */
export const included = <T extends TProperties>(members: T, word?: string) =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, onlyWith(schema, 'include', word ?? name)]),
  ) as { [Name in keyof T]: TOptional<T[Name]> };

/** @param example when absent, one entry with the examples of its members. */
export const arrayOf = <T extends TSchema>(
  items: T,
  description: string,
  example?: readonly Static<T>[],
): TUnsafe<readonly Static<T>[]> =>
  Type.Unsafe({ type: 'array', description, items, ...(example && { examples: [example] }) });

/** An object whose members the store chooses. */
export const freeForm = (description: string, example: object): TUnsafe<Readonly<Record<string, unknown>>> =>
  Type.Unsafe({ type: 'object', description, additionalProperties: true, examples: [example] });

export const ref = (name: string) => Type.Unsafe<unknown>({ $ref: `#/components/schemas/${name}` });

export const attributes = (description: string): TUnsafe<Readonly<Record<string, string>>> =>
  Type.Unsafe({
    type: 'object',
    description,
    additionalProperties: { type: 'string' },
    examples: [{ Size: '42', Color: 'Blue' }],
  });

export const metadata = (description: string): TUnsafe<Metadata> =>
  Type.Unsafe({ ...METADATA_SCHEMA, description, examples: [{ erp_id: '4711' }] });

const about = (description: string, example: unknown) => ({ description, examples: [example] });

export const text = (description: string, example: string) => Type.String(about(description, example));

/** @param more.names for client generators, which derive a name from each word but not from an empty one. */
export const oneOf = (
  words: readonly string[],
  description: string,
  { example, names }: { readonly example?: string; readonly names?: readonly string[] } = {},
) =>
  Type.Unsafe<string>({
    type: 'string',
    description,
    enum: words,
    ...(example && { examples: [example] }),
    ...(names && { 'x-enum-varnames': names }),
  });

export const uuid = (description: string, example = '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f') =>
  Type.String({ ...about(description, example), format: 'uuid' });

export const timestamp = (description: string, example = '2026-11-20T09:30:00.000Z') =>
  Type.String({ format: 'date-time', ...about(`${description} ISO 8601, UTC, with milliseconds.`, example) });

export const percent = (description: string, example: number) =>
  Type.Number(about(`${description} In percent.`, example));

/** @param format `int64` when it may exceed 32 bits. */
export const integer = (description: string, example: number, format?: 'int64') =>
  Type.Integer({ ...about(description, example), ...(format && { format }) });

export const number = (description: string, example: number) => Type.Number(about(description, example));

export const id = (description: string, example = 7) =>
  Type.Integer({ ...about(description, example), format: 'int32' });

/** @param example when absent, false. */
export const flag = (description: string, example?: boolean) =>
  Type.Boolean({ description, ...(example !== undefined && { examples: [example] }) });

export const minorUnits = (description: string, example: number) =>
  Type.Integer({
    ...about(`${description} In minor units of the currency: 1099 is 10.99 USD.`, example),
    format: 'int64',
  });

export const majorUnits = (description: string, example: number) =>
  Type.Number(about(`${description} In major units of the currency: 10.99 is 10.99 USD.`, example));

/** @param example null; when absent, the example of the schema. */
export const orNull = <T extends TSchema>(schema: T, example?: null): TUnsafe<Static<T> | null> => {
  const { type, ...others } = schema as T & { type: string };
  return Type.Unsafe({ ...others, type: [type, 'null'], ...(example === null && { examples: [null] }) });
};

export function exampleOf<T extends TSchema>(schema: T): Static<T> {
  const { examples, properties, items, enum: words } = schema as Partial<Record<string, never>>;
  if (examples) return examples[0];
  if (properties) {
    const members = Object.entries<TSchema>(properties).filter(([, member]) => !TypeGuard.IsOptional(member));
    return Object.fromEntries(members.map(([name, member]) => [name, exampleOf(member)] as const));
  }
  if (items) return [exampleOf(items)];
  return words ? words[0] : false;
}
