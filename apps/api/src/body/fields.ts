import {
  isCountry,
  isExternalReference,
  isMailAddress,
  isStorable,
  MAX_EMAIL_ADDRESS,
  MAX_EXTERNAL_REFERENCE,
  parseUrl,
} from '@app/domain';
import type { SchemaObject } from '@app/representations';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, plainToInstance, Transform, Type, type ClassTransformOptions } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsOptional,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { isJsonObject } from './json-object.js';

/**
 * Reads the fields with `@Expose()`. `excludeExtraneousValues` would do the same but list all other members first: a body
 * of 256 kB of them must cost no more than an empty one.
 */
export const ONLY_DECLARED: ClassTransformOptions = { strategy: 'excludeAll' };

type BodyClass = new () => object;

/** An object or list in a field. It declares nothing, so class-transformer reads no member, such as `constructor`. */
class Unread {}

/**
 * One decorator for a field: it is read, checked and documented. class-validator checks the constraints in this order, and
 * the client gets the message of the first one that fails.
 */
function field(schema: ApiPropertyOptions, ...constraints: readonly PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Type(() => Unread),
    ApiProperty(schema),
    ...constraints,
  );
}

/** A field that may be absent or null. Not `type: ['string', 'null']`, which ApiProperty takes for a list of lists. */
function fieldOrNull(
  { description, ...schema }: SchemaObject,
  isValid: PropertyDecorator,
  preset?: string | boolean | number,
): PropertyDecorator {
  const anyOf = [schema, { type: 'null' }];
  return field({ description, anyOf, required: false, default: preset }, IsOptional(), isValid);
}

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
  const isInRange = isIntegerFrom(min, max);
  return field(
    { type: 'integer', format, minimum: min, maximum: max, description, required: !isOptional },
    ...(isOptional ? [IfGiven, isInRange] : [isInRange]),
  );
}

interface IntegerOrNullOptions extends FieldOptions {
  readonly min: number;
  readonly max: number;
  readonly format?: 'int32';
  /** The meaning of null and of an absent field. */
  readonly default?: number;
}

/** Absent, null, or a JSON integer within the range. */
export function IntegerOrNullField({
  min,
  max,
  format,
  default: preset,
  description,
}: IntegerOrNullOptions): PropertyDecorator {
  return fieldOrNull(
    { type: 'integer', format, minimum: min, maximum: max, description },
    isIntegerFrom(min, max),
    preset,
  );
}

/** Absent, null, or an amount in major units as a JSON number: not negative, and no numeric text. */
export function AmountField({ description }: FieldOptions): PropertyDecorator {
  const isAmount = constraint(
    'isAmount',
    (value) => typeof value === 'number' && value >= 0,
    'must be a number of at least 0',
  );
  return fieldOrNull({ type: 'number', minimum: 0, description }, isAmount);
}

/** An amount in minor units as a JSON integer: not negative, and no numeric text. */
export function MinorUnitsField({ description }: FieldOptions): PropertyDecorator {
  const isMinorUnits = constraint(
    'isMinorUnits',
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    'must be an integer of at least 0, in minor units: 1099 is 10.99 USD',
  );
  const units = 'Minor units of the currency: 1099 is 10.99 USD.';
  const [minimum, maximum] = [0, Number.MAX_SAFE_INTEGER];
  return field(
    { type: 'integer', minimum, maximum, description: `${description} ${units}`, required: true },
    isMinorUnits,
  );
}

interface TextOptions extends FieldOptions {
  /** In characters, which are code points. */
  readonly max: number;
}

interface ReferenceOptions extends FieldOptions {
  readonly isRequired?: boolean;
}

/** Text that is neither absent, null nor blank. */
export function RequiredTextField({ max, description }: TextOptions): PropertyDecorator {
  return field({ type: 'string', minLength: 1, maxLength: max, description }, IsPresent, isText(max));
}

/** Text that may be absent, null or empty. */
export function TextField({ max, description }: TextOptions): PropertyDecorator {
  return fieldOrNull({ type: 'string', maxLength: max, description }, isText(max));
}

/** 1 to 64 printable characters without white space at either end; absent or null unless it is required. */
export function ReferenceField({ description, isRequired = false }: ReferenceOptions): PropertyDecorator {
  const isReference = constraint(
    'isExternalReference',
    (value) => typeof value === 'string' && isExternalReference(value),
    `must be 1 to ${MAX_EXTERNAL_REFERENCE} visible characters, with plain spaces only between them`,
  );
  // The pattern is the part of the rule that every dialect of regular expressions has.
  const pattern = '^\\S(.*\\S)?$';
  const schema = { type: 'string', minLength: 1, maxLength: MAX_EXTERNAL_REFERENCE, pattern, description } as const;
  return isRequired ? field(schema, IsPresent, isReference) : fieldOrNull(schema, isReference);
}

/** The code of a warehouse or a bin: absent, null, or as in a store bundle. */
export function CodeField({ description }: FieldOptions): PropertyDecorator {
  const isCode = constraint(
    'isCode',
    (value) => isTextUpTo(value, 64) && /^[^\s/]+$/.test(value),
    'must be 1 to 64 characters without blanks and slashes',
  );
  const schema = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[^\\s/]+$', description } as const;
  return fieldOrNull(schema, isCode);
}

/** Absent, null, empty, or one address that mail can be sent to. */
export function EmailField({ description }: FieldOptions): PropertyDecorator {
  const isEmail = constraint(
    'isEmailAddress',
    (value) => value === '' || (typeof value === 'string' && isMailAddress(value)),
    `must be one e-mail address (name@domain) of at most ${MAX_EMAIL_ADDRESS} bytes`,
  );
  return fieldOrNull({ type: 'string', maxLength: MAX_EMAIL_ADDRESS, description }, isEmail);
}

interface CurrencyOptions extends FieldOptions {
  readonly isRequired?: boolean;
}

/** Three letters in any case, as of a currency of ISO 4217; absent or null unless it is required. */
export function CurrencyField({ description, isRequired = false }: CurrencyOptions): PropertyDecorator {
  const isCode = constraint(
    'isCurrencyCode',
    (value) => typeof value === 'string' && /^[a-z]{3}$/i.test(value),
    'must be a currency code of three letters, such as EUR (ISO 4217)',
  );
  const schema = { type: 'string', pattern: '^[A-Za-z]{3}$', description } as const;
  return isRequired ? field(schema, IsPresent, isCode) : fieldOrNull(schema, isCode);
}

/** Absent, null, empty, or a country in any letter case. */
export function CountryField({ description }: FieldOptions): PropertyDecorator {
  const isCode = constraint(
    'isCountry',
    // Upper case folds letters: `ß` would be `SS`.
    (value) =>
      value === '' || (typeof value === 'string' && /^[a-z]{2}$/i.test(value) && isCountry(value.toUpperCase())),
    'must be a country code of two letters, such as DE (ISO 3166-1)',
  );
  return fieldOrNull({ type: 'string', maxLength: 2, description }, isCode);
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
  return fieldOrNull({ type: 'string', enum: [...words], description }, isWord, preset);
}

interface RequiredWordOptions extends FieldOptions {
  readonly words: readonly string[];
}

/** One of the words, exactly. */
export function RequiredWordField({ words, description }: RequiredWordOptions): PropertyDecorator {
  return field({ type: 'string', enum: [...words], description }, IsPresent, isExactly(words));
}

interface OptionalWordOptions extends RequiredWordOptions {
  /** The meaning of null and of an absent field. */
  readonly default?: string;
}

/** Absent, null, or one of the words, exactly. */
export function OptionalWordField({ words, default: preset, description }: OptionalWordOptions): PropertyDecorator {
  return fieldOrNull({ type: 'string', enum: [...words], description }, isExactly(words), preset);
}

/** Absent, null, or a list of one or more of the words, exactly. */
export function WordsField({ words, description }: RequiredWordOptions): PropertyDecorator {
  const isWords = constraint(
    'isSomeOf',
    (value) => Array.isArray(value) && value.length > 0 && value.every((word) => words.includes(word as string)),
    `must be a list of one or more of ${words.join(', ')}`,
  );
  return fieldOrNull({ type: 'array', items: { type: 'string', enum: [...words] }, minItems: 1, description }, isWords);
}

interface FlagOptions extends FieldOptions {
  /** The meaning of null and of an absent field. */
  readonly default?: boolean;
}

/** Absent, null, or a JSON boolean. */
export function FlagField({ default: preset, description }: FlagOptions): PropertyDecorator {
  const isFlag = constraint('isFlag', (value) => typeof value === 'boolean', 'must be true or false');
  return fieldOrNull({ type: 'boolean', description }, isFlag, preset);
}

/** Absent, null, or a time with a time zone: from 1970 to a day ahead, for clocks that differ. */
export function TimestampField({ description }: FieldOptions): PropertyDecorator {
  const isTimestamp = constraint(
    'isTimestamp',
    (value) => typeof value === 'string' && ISO_TIME.test(value) && isDay(value) && isNotAhead(new Date(value)),
    'must be a time in ISO 8601 with a time zone, such as 2026-11-20T09:30:00Z, and not in the future',
  );
  return fieldOrNull({ type: 'string', format: 'date-time', description }, isTimestamp);
}

/** Absent, null, empty, or a URL of a web page. */
export function WebAddressField({ max, description }: TextOptions): PropertyDecorator {
  const isAddress = constraint(
    'isWebAddress',
    (value) => value === '' || (isTextUpTo(value, max) && /^https?:\/\/\S+$/.test(value) && parseUrl(value) !== null),
    `must be an http or https URL of at most ${max} characters`,
  );
  return fieldOrNull({ type: 'string', maxLength: max, description }, isAddress);
}

/**
 * An object with fields of its own. An absent or null object is read as empty, so that its required fields are
 * reported.
 */
export function ObjectField(Body: BodyClass): PropertyDecorator {
  const read = Transform(({ obj, key }) => readObject(Body, (obj as Record<string, unknown>)[key] ?? {}));
  return field({ type: Body }, read, IsObject);
}

interface ListOptions extends FieldOptions {
  readonly max: number;
  readonly isOptional?: boolean;
}

/** A list of 1 to `max` objects; absent or null if it is optional. */
export function ListField(Body: BodyClass, { max, description, isOptional = false }: ListOptions): PropertyDecorator {
  const size = { message: `must have 1 to ${max} entries` };
  // One entry above the limit is enough to exceed it.
  const read = Transform(({ obj, key, value }: { obj: Record<string, unknown>; key: string; value: unknown }) => {
    const list = obj[key];
    return Array.isArray(list) ? list.slice(0, max + 1).map((entry) => readObject(Body, entry)) : value;
  });
  return field(
    { type: [Body], minItems: 1, maxItems: max, description, required: !isOptional },
    ...[
      read,
      isOptional ? IsOptional() : IsPresent,
      IsArray({ message: 'must be an array' }),
      ArrayMinSize(1, size),
      ArrayMaxSize(max, size),
    ],
    IsObject,
  );
}

/** What is no object becomes a value that {@link IsObject} refuses, unlike lists and null. */
function readObject(Body: BodyClass, value: unknown): object | false {
  return isJsonObject(value) && plainToInstance(Body, value, ONLY_DECLARED);
}

const IsObject = ValidateNested({ message: 'must be an object' });

const isIntegerFrom = (min: number, max: number): PropertyDecorator =>
  constraint(
    'isIntegerFrom',
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    `must be an integer from ${min} to ${max}`,
  );

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

const isExactly = (words: readonly string[]): PropertyDecorator =>
  constraint(
    'isOneOf',
    (value) => typeof value === 'string' && words.includes(value),
    `must be one of ${words.join(', ')}`,
  );

const ISO_TIME = /^(?:19[7-9]\d|2\d{3})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** JavaScript reads 30 February as 2 March. */
function isDay(time: string): boolean {
  const day = time.slice(0, 10);
  return !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
}

/** A day of tolerance, for clocks that differ and for calendar days. */
function isNotAhead(time: Date): boolean {
  const tomorrow = new Date();
  tomorrow.setUTCDate(tomorrow.getUTCDate() + 1);
  return time < tomorrow;
}

/** Skips the other constraints of an absent field. */
const IfGiven = ValidateIf((_body, value) => value !== undefined);

function constraint(name: string, validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
}

function isTextUpTo(value: unknown, max: number): value is string {
  return typeof value === 'string' && isStorable(value) && [...value].length <= max;
}
