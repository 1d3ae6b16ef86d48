import type { OpenAPIObject } from '@nestjs/swagger';
import type { Static, TSchema } from '@sinclair/typebox';
import { exampleOf } from './schema.js';

export interface NamedSchema<T extends TSchema = TSchema> {
  readonly name: string;
  readonly schema: T;
}

export interface Representation<T extends TSchema = TSchema> extends NamedSchema<T> {
  /** All examples of the document show the same store: one order, for one product, by one customer. */
  readonly example: Static<T>;
  readonly money?: 'minor' | 'major';
}

export type DocumentedWebhooks = NonNullable<OpenAPIObject['webhooks']>;

export type ValueOf<R extends NamedSchema> = Static<R['schema']>;

export function representation<T extends TSchema>(
  name: string,
  schema: T,
  more: Pick<Representation, 'money'> = {},
): Representation<T> {
  return { name, schema, example: exampleOf(schema), ...more };
}

export interface ResourceDocumentation {
  /** Groups the operations. `@Documented` names it on the controller. */
  readonly tag: string;
  readonly description: string;
  readonly schemas: readonly NamedSchema[];
  readonly webhooks?: DocumentedWebhooks;
}
