import {
  faultOfHeaders,
  isCountry,
  isDisplayName,
  isExternalReference,
  isMailAddress,
  isMetadata,
  isMetadataPatch,
  isStorable,
  isTaxRate,
  MAX_DISPLAY_NAME,
  MAX_EMAIL_ADDRESS,
  MAX_EXTERNAL_REFERENCE,
  MAX_HEADER_VALUE,
  MAX_INT4,
  MAX_UNIT_PRICE,
  MAX_WEBHOOK_HEADERS,
  METADATA_RULE,
  METADATA_SCHEMA,
  parseUrl,
  readUuid,
} from '@app/domain';
import { readNetwork } from '@app/application';
import type { SchemaObject } from '@app/representations';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose, plainToInstance, Transform, Type, type ClassTransformOptions } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';

/**
 * Reads the fields with `@Expose()`. `excludeExtraneousValues` would list all other members first: a body of 256 kB of
 * them must cost no more than an empty one.
 */
export const ONLY_DECLARED: ClassTransformOptions = { strategy: 'excludeAll' };

type BodyClass = new () => object;

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object or list in a field. It declares nothing, so class-transformer reads no member, such as `constructor`. */
class Unread {}

/** The client gets the message of the first constraint that fails. */
function field(schema: ApiPropertyOptions, ...constraints: readonly PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Type(() => Unread),
    ApiProperty(schema),
    ...constraints,
  );
}

/**
 * Absent, null, or a value. Not `type: ['string', 'null']`, which ApiProperty takes for a list of lists; without a type,
 * it takes that of the property, which has none where {@link AddressFields} declares it.
 */
function fieldOrNull(
  { description, default: preset, ...schema }: SchemaObject,
  ...constraints: readonly PropertyDecorator[]
): PropertyDecorator {
  const anyOf = [schema, { type: 'null' }];
  return field({ type: Object, description, anyOf, required: false, default: preset }, IsOptional(), ...constraints);
}

function requirable(isRequired: boolean, schema: SchemaObject, isValid: PropertyDecorator): PropertyDecorator {
  return isRequired ? field(schema as ApiPropertyOptions, IsPresent, isValid) : fieldOrNull(schema, isValid);
}

/** `default`, where a field has it, is the meaning of null and of an absent field. */
interface FieldOptions {
  readonly description: string;
}

interface RangeOptions extends FieldOptions {
  readonly min: number;
  readonly max: number;
}

/** A JSON integer within the range: no numeric text, no fraction, no null. An optional one may be absent. */
export function IntegerField({
  isOptional = false,
  ...range
}: RangeOptions & { readonly isOptional?: boolean }): PropertyDecorator {
  const ifGiven = isOptional ? [ValidateIf((_body, value) => value !== undefined)] : [];
  return field({ ...integer(range), required: !isOptional }, ...ifGiven, ...isIntegerFrom(range));
}

export function IntegerOrNullField({
  default: preset,
  ...range
}: RangeOptions & { readonly default?: number }): PropertyDecorator {
  return fieldOrNull({ ...integer(range), default: preset }, ...isIntegerFrom(range));
}

/** Null, or absent, only where the body has the other field. */
export function IntegerUnlessField(other: string, range: RangeOptions): PropertyDecorator {
  const { description, ...schema } = integer(range);
  const isNeeded = (body: object, value: unknown) =>
    (value !== undefined && value !== null) || !(body as Record<string, unknown>)[other];
  const anyOf = [schema, { type: 'null' }];
  const message = `must be an integer from ${range.min} to ${range.max}, or ${other} must be given`;
  return field({ description, anyOf, required: false }, ValidateIf(isNeeded), ...isIntegerFrom(range, message));
}

export function AmountField({ description }: FieldOptions): PropertyDecorator {
  const says = { message: 'must be a number of at least 0' };
  const isAmount = [IsNumber({ allowInfinity: true }, says), Min(0, says)];
  return fieldOrNull({ type: 'number', minimum: 0, description }, ...isAmount);
}

/** A rate of a tax, in percent. */
export function TaxRateField({ description }: FieldOptions): PropertyDecorator {
  const isRate = constraint(isTaxRate, 'must be a percentage from 0 to 1000 with at most 4 decimals');
  return field({ type: Number, minimum: 0, maximum: 1000, description, required: true }, IsPresent, isRate);
}

/** So few digits that the amount is exact in minor units of every currency. */
const DECIMAL = /^\d{1,11}(\.\d{1,18})?$/;

/** Whether a number, or the text of one, has more digits than {@link DECIMAL} before the point. */
function isTooHigh(value: unknown): boolean {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value));
  return isNumber && Number(value) >= 10 ** 11;
}

/** A price in major units: a number, or text. */
export function DecimalField({ description, isRequired = false }: RequirableOptions): PropertyDecorator {
  // Minor units of a currency without decimals are major ones: no price of any currency is higher.
  const isLow = constraint((value) => !isTooHigh(value), `must not be higher than ${MAX_UNIT_PRICE}`);
  const isDecimal = constraint(
    (value) => (typeof value === 'number' || typeof value === 'string') && DECIMAL.test(String(value)),
    'must be a decimal of at least 0 in major units, such as 79.90, as a number or text',
  );
  const forms: SchemaObject[] = [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: DECIMAL.source },
  ];
  const schema: ApiPropertyOptions = {
    type: Object,
    description: `${description} In major units of the currency: 10.99 is 10.99 USD.`,
    anyOf: isRequired ? forms : [...forms, { type: 'null' }],
    required: isRequired,
  };
  return field(schema, isRequired ? IsPresent : IsOptional(), isLow, isDecimal);
}

export function MinorUnitsField({ description }: FieldOptions): PropertyDecorator {
  const units = 'Minor units of the currency: 1099 is 10.99 USD.';
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER, description: `${description} ${units}` };
  const message = 'must be an integer of at least 0, in minor units: 1099 is 10.99 USD';
  return field({ ...integer(range), required: true }, ...isIntegerFrom(range, message));
}

interface TextOptions extends FieldOptions {
  readonly max: number;
}

/** Text that is neither absent, null nor blank. */
export function RequiredTextField({ max, description }: TextOptions): PropertyDecorator {
  return field({ type: 'string', minLength: 1, maxLength: max, description }, IsPresent, isText(max));
}

export function TextField({ max, description }: TextOptions): PropertyDecorator {
  return fieldOrNull({ type: 'string', maxLength: max, description }, isText(max));
}

interface RequirableOptions extends FieldOptions {
  readonly isRequired?: boolean;
}

/** The part of the rule for references that every dialect of regular expressions has. */
const REFERENCE = '^\\S(.*\\S)?$';

export function ReferenceField({ description, isRequired = false }: RequirableOptions): PropertyDecorator {
  const message = `must be 1 to ${MAX_EXTERNAL_REFERENCE} visible characters, with plain spaces only between them`;
  const schema = {
    type: 'string',
    minLength: 1,
    maxLength: MAX_EXTERNAL_REFERENCE,
    pattern: REFERENCE,
    description,
  } as const;
  return requirable(isRequired, schema, isTextThat(isExternalReference, message));
}

export function UuidField({ description }: FieldOptions): PropertyDecorator {
  return fieldOrNull({ type: 'string', format: 'uuid', description }, isTextThat(isUuid, 'must be a UUID'));
}

function isUuid(value: string): boolean {
  return readUuid(value) !== null;
}

/** A list of different references. */
export function ReferencesField({ max, description }: TextOptions): PropertyDecorator {
  const isReference = (value: unknown) => typeof value === 'string' && isExternalReference(value);
  const isList = constraint(
    (value) =>
      Array.isArray(value) && value.length <= max && value.every(isReference) && new Set(value).size === value.length,
    `must be a list of at most ${max} different texts of 1 to ${MAX_EXTERNAL_REFERENCE} visible characters, with plain spaces only between them`,
  );
  const items: SchemaObject = { type: 'string', minLength: 1, maxLength: MAX_EXTERNAL_REFERENCE, pattern: REFERENCE };
  return fieldOrNull({ type: 'array', items, maxItems: max, uniqueItems: true, description }, isList);
}

export const CODE_RULE = 'must be 1 to 64 characters without blanks and slashes';

export function isCode(value: string): boolean {
  return isUpTo(value, 64) && /^[^\s/]+$/.test(value);
}

export function CodeField({ description, isRequired = false }: RequirableOptions): PropertyDecorator {
  const schema = { type: 'string', minLength: 1, maxLength: 64, pattern: '^[^\\s/]+$', description } as const;
  return requirable(isRequired, schema, isTextThat(isCode, CODE_RULE));
}

export function EmailField({ description }: FieldOptions): PropertyDecorator {
  const message = `must be one e-mail address (name@domain) of at most ${MAX_EMAIL_ADDRESS} bytes`;
  const isEmail = isEmptyOr(isMailAddress, message);
  return fieldOrNull({ type: 'string', maxLength: MAX_EMAIL_ADDRESS, description }, isEmail);
}

export function RequiredEmailField({ description }: FieldOptions): PropertyDecorator {
  const message = `must be one e-mail address (name@domain) of at most ${MAX_EMAIL_ADDRESS} bytes`;
  const schema = { type: 'string', maxLength: MAX_EMAIL_ADDRESS, description } as const;
  return requirable(true, schema, isTextThat(isMailAddress, message));
}

/** Surrounding blanks do not count. */
export function NameField({ description, isRequired = false }: RequirableOptions): PropertyDecorator {
  const isName = isTextThat(
    (value) => isDisplayName(value.trim()),
    `must be 1 to ${MAX_DISPLAY_NAME} characters on one line, some of them visible, without control characters`,
  );
  const schema = { type: 'string', minLength: 1, maxLength: MAX_DISPLAY_NAME, description } as const;
  return requirable(isRequired, schema, isName);
}

export function CurrencyField({ description, isRequired = false }: RequirableOptions): PropertyDecorator {
  const message = 'must be a currency code of three letters, such as EUR (ISO 4217)';
  const schema = { type: 'string', pattern: '^[A-Za-z]{3}$', description } as const;
  return requirable(isRequired, schema, Matches(/^[a-z]{3}$/i, { message }));
}

export function CountryField({ description }: FieldOptions): PropertyDecorator {
  const isCode = isEmptyOr(
    // Upper case folds letters: `ß` would be `SS`.
    (value) => /^[a-z]{2}$/i.test(value) && isCountry(value.toUpperCase()),
    'must be a country code of two letters, such as DE (ISO 3166-1)',
  );
  const inAnyCase = `${description} In any letter case; \`""\` means none.`;
  return fieldOrNull({ type: 'string', maxLength: 2, description: inAnyCase }, isCode);
}

interface WordOptions extends FieldOptions {
  readonly words: readonly string[];
}

export function WordField({
  words,
  message,
  ...schema
}: WordOptions & { readonly default: string; readonly message: string }): PropertyDecorator {
  // The length rules out ligatures: `'ﬀ'.toUpperCase()` is `'FF'`.
  const isWord = (value: string) => words.some((word) => word === value.toUpperCase() && word.length === value.length);
  return fieldOrNull({ type: 'string', enum: [...words], ...schema }, isTextThat(isWord, message));
}

export function RequiredWordField({ words, description }: WordOptions): PropertyDecorator {
  return field({ type: 'string', enum: [...words], description }, IsPresent, isOneOf(words));
}

export function OptionalWordField({
  words,
  ...schema
}: WordOptions & { readonly default?: string }): PropertyDecorator {
  return fieldOrNull({ type: 'string', enum: [...words], ...schema }, isOneOf(words));
}

export function WordsField(options: WordOptions): PropertyDecorator {
  const { schema, constraints } = wordList(options);
  return fieldOrNull(schema, ...constraints);
}

export function RequiredWordsField(options: WordOptions): PropertyDecorator {
  const { schema, constraints } = wordList(options);
  return field(schema as ApiPropertyOptions, ...constraints);
}

function wordList({ words, description }: WordOptions) {
  const says = { message: `must be a list of one or more of ${words.join(', ')}` };
  const items: SchemaObject = { type: 'string', enum: [...words] };
  const schema: SchemaObject = { type: 'array', items, minItems: 1, description };
  return { schema, constraints: [IsArray(says), ArrayMinSize(1, says), IsIn(words, { ...says, each: true })] };
}

export function FlagField(schema: FieldOptions & { readonly default?: boolean }): PropertyDecorator {
  return fieldOrNull({ type: 'boolean', ...schema }, IsBoolean({ message: 'must be true or false' }));
}

const ISO_TIME = /^(?:19[7-9]\d|2\d{3})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Null or a time with a time zone: from 1970 to a day ahead, for clocks that differ. */
export function TimestampField({ description }: FieldOptions): PropertyDecorator {
  const isTimestamp = isTextThat(
    (value) => ISO_TIME.test(value) && isDay(value) && isNotAhead(new Date(value)),
    'must be a time in ISO 8601 with a time zone, such as 2026-11-20T09:30:00Z, and not in the future',
  );
  return fieldOrNull({ type: 'string', format: 'date-time', description }, isTimestamp);
}

/** Null or a time with a time zone that is not over. */
export function FutureTimeField({ description }: FieldOptions): PropertyDecorator {
  const isFuture = isTextThat(
    (value) => ISO_TIME.test(value) && isDay(value) && new Date(value) > new Date(),
    'must be a time in the future, in ISO 8601 with a time zone, such as 2027-11-20T09:30:00Z',
  );
  return fieldOrNull({ type: 'string', format: 'date-time', description }, isFuture);
}

/** Null or a day of the years 1 to 9999. */
export function DayField({ description }: FieldOptions): PropertyDecorator {
  const isOne = isTextThat(
    (value) => /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) && isDay(value),
    'must be a date such as 2026-11-27',
  );
  return fieldOrNull({ type: 'string', format: 'date', description }, isOne);
}

/** A list of different texts, which may be empty. */
export function NamesField({ most, max, description }: TextOptions & { readonly most: number }): PropertyDecorator {
  const isName = (value: unknown) => typeof value === 'string' && isUpTo(value, max) && isExternalReference(value);
  const areNames = constraint(
    (value) =>
      Array.isArray(value) && value.length <= most && value.every(isName) && new Set(value).size === value.length,
    `must be a list of at most ${most} different texts of 1 to ${max} visible characters, with plain spaces only between them`,
  );
  const items: SchemaObject = { type: 'string', minLength: 1, maxLength: max };
  return fieldOrNull({ type: 'array', items, maxItems: most, uniqueItems: true, description }, areNames);
}

/** A request with a limited key is compared with each of its networks. */
const MAX_NETWORKS = 50;

export function NetworksField({ description }: FieldOptions): PropertyDecorator {
  const isNetwork = (value: unknown) => typeof value === 'string' && readNetwork(value).network !== null;
  const isList = constraint(
    (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_NETWORKS && value.every(isNetwork),
    `must be a list of 1 to ${MAX_NETWORKS} networks such as 192.0.2.0/24, or addresses, without bits after the length`,
  );
  const items: SchemaObject = { type: 'string', examples: ['192.0.2.0/24'] };
  return fieldOrNull({ type: 'array', items, minItems: 1, maxItems: MAX_NETWORKS, description }, isList);
}

/** JavaScript reads 30 February as 2 March. `IsISO8601` would refuse `T24:00:00Z`. */
export function isDay(time: string): boolean {
  const day = time.slice(0, 10);
  return !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
}

function isNotAhead(time: Date): boolean {
  const tomorrow = new Date();
  tomorrow.setUTCDate(tomorrow.getUTCDate() + 1);
  return time < tomorrow;
}

export function WebAddressField({ max, description }: TextOptions): PropertyDecorator {
  const isAddress = isEmptyOr(
    (value) => isUpTo(value, max) && /^https?:\/\/\S+$/.test(value) && parseUrl(value) !== null,
    `must be an http or https URL of at most ${max} characters`,
  );
  return fieldOrNull({ type: 'string', maxLength: max, description }, isAddress);
}

/** Headers of HTTP with their values, by name. */
export function HeadersField({ description }: FieldOptions): PropertyDecorator {
  const faultOf = (value: unknown) =>
    isJsonObject(value) ? faultOfHeaders(value) : 'must be an object of names and values';
  const validate = (value: unknown) => faultOf(value) === null;
  const defaultMessage = (validation?: ValidationArguments) => String(faultOf(validation?.value));
  return fieldOrNull(
    {
      type: 'object',
      maxProperties: MAX_WEBHOOK_HEADERS,
      additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_HEADER_VALUE },
      description,
    },
    WithMembers,
    ValidateBy({ name: 'headers', validator: { validate, defaultMessage } }),
  );
}

export function MetadataField({ description }: FieldOptions): PropertyDecorator {
  return fieldOrNull({ ...METADATA_SCHEMA, description }, WithMembers, constraint(isMetadata, METADATA_RULE));
}

/** Null removes a key. */
export function MetadataPatchField({ description }: FieldOptions): PropertyDecorator {
  const text: SchemaObject = { anyOf: [METADATA_SCHEMA.additionalProperties, { type: 'null' }] };
  const message = `${METADATA_RULE}; null removes a key`;
  return fieldOrNull(
    { ...METADATA_SCHEMA, additionalProperties: text, description },
    WithMembers,
    constraint(isMetadataPatch, message),
  );
}

/** Keeps the members of an object, which class-transformer does not read. */
const WithMembers = Transform(({ obj, key }): unknown => (obj as Record<string, unknown>)[key]);

/** An absent or null object is read as empty, so that its required fields are reported. */
export function ObjectField(Body: BodyClass): PropertyDecorator {
  const read = Transform(({ obj, key }) => readObject(Body, (obj as Record<string, unknown>)[key] ?? {}));
  return field({ type: Body }, read, IsObject);
}

/** Absent where it is null. */
export function OptionalObjectField(Body: BodyClass, options: Partial<FieldOptions> = {}): PropertyDecorator {
  const read = Transform(({ obj, key }) => {
    const value = (obj as Record<string, unknown>)[key] ?? undefined;
    return value === undefined ? value : readObject(Body, value);
  });
  return field({ type: Body, ...options, required: false }, read, IsOptional(), IsObject);
}

interface ListOptions extends FieldOptions {
  /** Absent: 1. */
  readonly min?: number;
  readonly max: number;
  readonly isOptional?: boolean;
  /** Another name of the list: absent or null only where the body has that. */
  readonly alias?: string;
}

export function ListField(
  Body: BodyClass,
  { min = 1, max, description, isOptional = false, alias }: ListOptions,
): PropertyDecorator {
  const read = Transform(({ obj, key, value }: { obj: Record<string, unknown>; key: string; value: unknown }) => {
    const list = obj[key];
    return Array.isArray(list) ? list.slice(0, max + 1).map((entry) => readObject(Body, entry)) : value;
  });
  return field(
    { type: [Body], minItems: min, maxItems: max, description, required: !isOptional },
    read,
    ...(alias
      ? [ValidateIf((body, value) => (value ?? undefined) !== undefined || !(body as Record<string, unknown>)[alias])]
      : []),
    isOptional ? IsOptional() : IsPresent,
    ...isListOf(max, min),
    IsObject,
  );
}

/** Declares a list like {@link ListField}, but {@link readLine} checks each entry: a line may be refused alone. */
export function LinesField(Body: BodyClass, { max, description }: Omit<ListOptions, 'isOptional'>): PropertyDecorator {
  return field(
    { type: [Body], minItems: 1, maxItems: max, description },
    Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => obj[key]),
    IsPresent,
    ...isListOf(max),
  );
}

function isListOf(max: number, min = 1): PropertyDecorator[] {
  const size = { message: `must have ${min} to ${max} entries` };
  return [IsArray({ message: 'must be an array' }), ArrayMinSize(min, size), ArrayMaxSize(max, size)];
}

/** A value that {@link IsObject} refuses, unlike lists and null. */
function readObject(Body: BodyClass, value: unknown): object | false {
  return isJsonObject(value) && plainToInstance(Body, value, ONLY_DECLARED);
}

const IsObject = ValidateNested({ message: 'must be an object' });

const IsPresent = constraint(
  (value) => value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === ''),
  'is required',
);

function integer({ min, max, description }: RangeOptions) {
  const format = max > MAX_INT4 ? 'int64' : 'int32';
  return { type: 'integer', format, minimum: min, maximum: max, description } as const;
}

function isIntegerFrom({ min, max }: RangeOptions, message = `must be an integer from ${min} to ${max}`) {
  return [IsInt({ message }), Min(min, { message }), Max(max, { message })];
}

function isOneOf(words: readonly string[]): PropertyDecorator {
  return IsIn(words, { message: `must be one of ${words.join(', ')}` });
}

function isText(max: number): PropertyDecorator {
  const message = `must be text of at most ${max} characters, without NUL or lone surrogates`;
  return isTextThat((value) => isUpTo(value, max), message);
}

function isEmptyOr(isValid: (value: string) => boolean, message: string): PropertyDecorator {
  return isTextThat((value) => value === '' || isValid(value), message);
}

function isTextThat(isValid: (value: string) => boolean, message: string): PropertyDecorator {
  return constraint((value) => typeof value === 'string' && isValid(value), message);
}

function constraint(validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  // The name is the key of the message: no two constraints of a field say the same.
  return ValidateBy({ name: message, validator: { validate, defaultMessage: () => message } });
}

/** Not `MaxLength`, which leaves out variation selectors: the database counts them. */
function isUpTo(value: string, max: number): boolean {
  return isStorable(value) && [...value].length <= max;
}
