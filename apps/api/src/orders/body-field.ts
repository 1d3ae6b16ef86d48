import { object, type SchemaObject } from '../openapi/schema.js';
import type { JsonObject } from './json-object.js';

/** Declares a field of a body once. The constraints, the copy and the OpenAPI schema all derive from it. */
export interface BodyField {
  readonly schema: SchemaObject;
  readonly isRequired: boolean;
  /** class-validator decorators. The client gets the message of the first one that fails. */
  readonly constraints: readonly PropertyDecorator[];
  /** Turns the JSON value into the value to validate. The default keeps it unchanged. */
  readonly read?: (value: unknown) => unknown;
}

export type BodyClass<T extends object = object> = new () => T;

/** By prototype, then by name, in the order of declaration. */
const FIELDS = new WeakMap<object, Map<string, BodyField>>();

export function bodyField(field: BodyField): PropertyDecorator {
  return (prototype, name) => {
    const fields = FIELDS.get(prototype) ?? new Map<string, BodyField>();
    FIELDS.set(prototype, fields.set(String(name), field));
    // class-validator checks constraints in the order in which they are applied.
    for (const constrain of field.constraints) constrain(prototype, name);
  };
}

/**
 * Copies the declared fields of `source`, not yet validated. Nothing looks at the other members: a body of 256 kB of
 * them costs no more than an empty one.
 */
export function readFields<T extends object>(Body: BodyClass<T>, source: JsonObject): T {
  const body = new Body() as Record<string, unknown>;
  for (const [name, { read }] of fieldsOf(Body)) body[name] = read ? read(source[name]) : source[name];
  return body as T;
}

/** The OpenAPI schema of the declared fields. */
export function schemaOf(Body: BodyClass, description?: string): SchemaObject {
  const fields = [...fieldsOf(Body)];
  const properties: Record<string, SchemaObject> = Object.fromEntries(
    fields.map(([name, { schema }]) => [name, schema]),
  );
  const optional = fields.filter(([, { isRequired }]) => !isRequired).map(([name]) => name);
  return object(properties, { optional, ...(description && { description }) });
}

function fieldsOf(Body: BodyClass): ReadonlyMap<string, BodyField> {
  return FIELDS.get(Body.prototype as object) ?? new Map<string, BodyField>();
}
