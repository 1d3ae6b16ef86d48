import type { Schema } from './schema.js';

/** A schema under `components.schemas` of the document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Schema;
}

/** The content of `data` in an answer. */
export interface Representation<T = unknown> extends NamedSchema {
  /** All examples of the document show the same store: one order, for one product, by one customer. */
  readonly example: T;
  /** The unit of the amounts in it; absent for a representation without amounts. */
  readonly money?: 'minor' | 'major';
}

/** The part of the document that a resource contributes. Its operations come from the decorators of its controller. */
export interface ResourceDocumentation {
  /** Groups the operations. `@Documented` names it on the controller. */
  readonly tag: string;
  readonly description: string;
  /** In the order of the document. */
  readonly schemas: readonly NamedSchema[];
}
