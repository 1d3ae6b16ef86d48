import type { OpenAPIObject } from '@nestjs/swagger';
import type { Static, TSchema } from '@sinclair/typebox';
import { exampleOf } from './schema.js';

/** A schema under `components.schemas` of the document. */
export interface NamedSchema<T extends TSchema = TSchema> {
  readonly name: string;
  readonly schema: T;
}

/** The content of `data` in an answer. */
export interface Representation<T extends TSchema = TSchema> extends NamedSchema<T> {
  /** All examples of the document show the same store: one order, for one product, by one customer. */
  readonly example: Static<T>;
  /** The unit of the amounts in it; absent for a representation without amounts. */
  readonly money?: 'minor' | 'major';
}

/** What the service sends to clients, by name. */
export type DocumentedWebhooks = NonNullable<OpenAPIObject['webhooks']>;

/** What the mapper of a representation returns. */
export type ValueOf<R extends NamedSchema> = Static<R['schema']>;

export function representation<T extends TSchema>(
  name: string,
  schema: T,
  more: Pick<Representation, 'money'> = {},
): Representation<T> {
  return { name, schema, example: exampleOf(schema), ...more };
}

/** The part of the document that a resource contributes. Its operations come from the decorators of its controller. */
export interface ResourceDocumentation {
  /** Groups the operations. `@Documented` names it on the controller. */
  readonly tag: string;
  readonly description: string;
  /** In the order of the document. */
  readonly schemas: readonly NamedSchema[];
  readonly webhooks?: DocumentedWebhooks;
}
