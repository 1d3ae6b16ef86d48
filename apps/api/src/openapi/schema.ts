import type { OpenAPIObject } from '@nestjs/swagger';

type Components = NonNullable<OpenAPIObject['components']>;
export type Schema = NonNullable<Components['schemas']>[string];
export type ReferenceObject = Extract<Schema, { $ref: string }>;
export type SchemaObject = Exclude<Schema, ReferenceObject>;
type Answer = Exclude<NonNullable<Components['responses']>[string], ReferenceObject>;
export type ContentObject = NonNullable<Answer['content']>;

type Shape<T> = { readonly [Key in keyof T]-?: Schema };

/**
 * An object schema that describes every member of `T`, so that a mapper cannot return an undescribed member. All members
 * are required, except the `optional` ones.
 */
export function object<T>(properties: Shape<T>, { description, optional = [] }: ObjectOptions<T> = {}) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name as keyof T));
  return { type: 'object', ...(description ? { description } : {}), properties, required } satisfies SchemaObject;
}

interface ObjectOptions<T> {
  readonly description?: string;
  readonly optional?: readonly (keyof T)[];
}

/** An object whose members the store chooses. */
export const freeForm = (description: string): SchemaObject => ({
  type: 'object',
  description,
  additionalProperties: true,
});

export const arrayOf = (items: Schema, description: string): SchemaObject => ({ type: 'array', description, items });

export const text = (description: string, example: string): SchemaObject => ({
  type: 'string',
  description,
  examples: [example],
});

/** @param names for generators of clients, which make a name of each word, and none of an empty one. */
export const oneOf = (words: readonly string[], description: string, names?: readonly string[]): SchemaObject => ({
  type: 'string',
  description,
  enum: [...words],
  ...(names && { 'x-enum-varnames': names }),
});

export const uuid = (description: string): SchemaObject => ({
  ...text(description, '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f'),
  format: 'uuid',
});

export const timestamp = (description: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  description: `${description} ISO 8601, UTC, with milliseconds.`,
  examples: ['2026-11-20T09:30:00.000Z'],
});

export const integer = (description: string, example: number): SchemaObject => ({
  type: 'integer',
  description,
  examples: [example],
});

export const number = (description: string, example: number): SchemaObject => ({
  type: 'number',
  description,
  examples: [example],
});

export const id = (description: string): SchemaObject => ({ ...integer(description, 7), format: 'int32' });

export const flag = (description: string): SchemaObject => ({ type: 'boolean', description });

/** An integer number of minor units. */
export const minorUnits = (description: string): SchemaObject => ({
  ...integer(`${description} In minor units of the currency: 1099 is 10.99 USD.`, 1099),
  format: 'int64',
});

/** A decimal number of major units. */
export const majorUnits = (description: string): SchemaObject =>
  number(`${description} In major units of the currency: 10.99 is 10.99 USD.`, 10.99);

export const orNull = ({ type, ...schema }: SchemaObject): SchemaObject => ({
  ...schema,
  type: [type, 'null'].flat() as string[],
});
