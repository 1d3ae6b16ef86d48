import { isExternalReference, isStorable } from '@app/domain';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsObject,
  IsOptional,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { orNull } from '../openapi/schema.js';
import { bodyField, readFields, schemaOf, type BodyClass } from './body-field.js';
import { isJsonObject } from './json-object.js';

/** The options of every field of a body. */
interface FieldOptions {
  /** For the OpenAPI document. */
  readonly description: string;
}

interface IntegerOptions extends FieldOptions {
  readonly min: number;
  readonly max: number;
  readonly format?: 'int32';
  /** Optional fields may be absent, and are never null. */
  readonly isOptional?: boolean;
}

/** A JSON integer within the range: no numeric text, no fraction, no null. */
export function IntegerField({ min, max, format, description, isOptional = false }: IntegerOptions): PropertyDecorator {
  const isInRange = constraint(
    'isIntegerFrom',
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be an integer from ${min} to ${max}`,
  );
  return bodyField({
    schema: { type: 'integer', ...(format && { format }), minimum: min, maximum: max, description },
    isRequired: !isOptional,
    constraints: isOptional ? [IfGiven, isInRange] : [isInRange],
  });
}

interface TextOptions extends FieldOptions {
  /** In characters, which are code points. */
  readonly max: number;
}

/** Text that is neither absent, null nor blank. */
export function RequiredTextField({ max, description }: TextOptions): PropertyDecorator {
  return bodyField({
    schema: { type: 'string', minLength: 1, maxLength: max, description },
    isRequired: true,
    constraints: [IsPresent, isText(max)],
  });
}

/** Text that may be absent, null or empty. */
export function TextField({ max, description }: TextOptions): PropertyDecorator {
  return bodyField({
    schema: orNull({ type: 'string', maxLength: max, description }),
    isRequired: false,
    constraints: [IsOptional(), isText(max)],
  });
}

/** Absent, null, or 1 to `max` printable characters without white space at either end. */
export function ReferenceField({ max, description }: TextOptions): PropertyDecorator {
  const isReference = constraint(
    'isExternalReference',
    (value) => typeof value === 'string' && isExternalReference(value),
    `must be 1 to ${max} visible characters, with plain spaces only between them`,
  );
  return bodyField({
    // The pattern is the part of the rule that every dialect of regular expressions has.
    schema: orNull({ type: 'string', minLength: 1, maxLength: max, pattern: '^\\S(.*\\S)?$', description }),
    isRequired: false,
    constraints: [IsOptional(), isReference],
  });
}

/** Absent, null, empty, or text with one `@`, something on both sides of it, and no white space. */
export function EmailField({ max, description }: TextOptions): PropertyDecorator {
  const isEmail = constraint(
    'isEmailAddress',
    (value) => value === '' || (isTextUpTo(value, max) && /^[^\s@]+@[^\s@]+$/.test(value)),
    `must be an e-mail address of at most ${max} characters`,
  );
  return bodyField({
    schema: orNull({ type: 'string', maxLength: max, description }),
    isRequired: false,
    constraints: [IsOptional(), isEmail],
  });
}

interface WordOptions extends FieldOptions {
  readonly words: readonly string[];
  /** The meaning of null and of an absent field. */
  readonly default: string;
  /** The error, without the path. */
  readonly message: string;
}

/** Absent, null, or one of the words in any letter case. */
export function WordField({ words, default: preset, message, description }: WordOptions): PropertyDecorator {
  const isWord = constraint(
    'isOneOf',
    // The length rules out ligatures: `'ﬀ'.toUpperCase()` is `'FF'`.
    (value) =>
      typeof value === 'string' && words.some((word) => word === value.toUpperCase() && word.length === value.length),
    message,
  );
  return bodyField({
    schema: { ...orNull({ type: 'string', description, enum: [...words, null] }), default: preset },
    isRequired: false,
    constraints: [IsOptional(), isWord],
  });
}

/**
 * An object with fields of its own. An absent or null object is read as empty, so that its required fields are
 * reported.
 */
export function ObjectField(Body: BodyClass): PropertyDecorator {
  return bodyField({
    schema: schemaOf(Body),
    isRequired: true,
    constraints: [IsObject({ message: 'must be an object' }), ValidateNested()],
    read: (value) => readObject(Body, value ?? {}),
  });
}

interface ListOptions extends FieldOptions {
  readonly max: number;
}

/** A list of 1 to `max` objects. Only the list itself is validated here, not its entries. */
export function ListField(Body: BodyClass, { max, description }: ListOptions): PropertyDecorator {
  const size = { message: `must have 1 to ${max} entries` };
  return bodyField({
    schema: { type: 'array', minItems: 1, maxItems: max, description, items: schemaOf(Body) },
    isRequired: true,
    constraints: [IsPresent, IsArray({ message: 'must be an array' }), ArrayMinSize(1, size), ArrayMaxSize(max, size)],
    // One entry above the limit is enough to exceed it.
    read: (value) => (Array.isArray(value) ? value.slice(0, max + 1).map((entry) => readObject(Body, entry)) : value),
  });
}

function readObject(Body: BodyClass, value: unknown): unknown {
  return isJsonObject(value) ? readFields(Body, value) : value;
}

const isText = (max: number): PropertyDecorator =>
  constraint(
    'isText',
    (value) => isTextUpTo(value, max),
    `must be text of at most ${max} characters, without NUL or lone surrogates`,
  );

/** Not absent, not null, and not blank text. */
const IsPresent = constraint(
  'isPresent',
  (value) => value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === ''),
  'is required',
);

/** Skips the other constraints of an absent field. */
const IfGiven: PropertyDecorator = (prototype, name) =>
  ValidateIf((_body, value) => value !== undefined)(prototype, name);

function constraint(name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
}

function isTextUpTo(value: unknown, max: number): value is string {
  return typeof value === 'string' && isStorable(value) && [...value].length <= max;
}
