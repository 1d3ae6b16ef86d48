import {
  AMOUNT,
  faultOfHeaders,
  FLAG,
  integerFrom,
  isMetadata,
  isMetadataPatch,
  isTaxRate,
  isText,
  MAX_HEADER_VALUE,
  MAX_INT4,
  MAX_TAX_RATE,
  MAX_WEBHOOK_HEADERS,
  METADATA_RULE,
  METADATA_SCHEMA,
  orEmpty,
  TAX_RATE_RULE,
  VALUES,
  wordOf,
  type ValueKind,
  type ValueReader,
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
  IsOptional,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';

/**
 * Reads the fields with `@Expose()`. `excludeExtraneousValues` would first list all other members: a body with 256 kB
 * of them must cost no more than an empty one.
 */
export const ONLY_DECLARED: ClassTransformOptions = { strategy: 'excludeAll' };

type BodyClass = new () => object;

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * An object or list in a field. It declares nothing, so class-transformer reads none of its members, such as
 * `constructor`.
 */
class Unread {}

/** Declares a field. The client gets the message of the first constraint that fails. */
function field(schema: ApiPropertyOptions, ...constraints: readonly PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Type(() => Unread),
    ApiProperty(schema),
    ...constraints,
  );
}

/**
 * Declares a field that may be absent or null. `type: ['string', 'null']` is avoided, because ApiProperty takes it for
 * a list of lists; without a type, it takes that of the property, which has none where {@link AddressFields} declares
 * it.
 */
function fieldOrNull(
  { description, default: preset, ...schema }: SchemaObject,
  ...constraints: readonly PropertyDecorator[]
): PropertyDecorator {
  const anyOf = [schema, { type: 'null' }];
  return field({ type: Object, description, anyOf, required: false, default: preset }, IsOptional(), ...constraints);
}

/** `default`, where present, is the meaning of null and of an absent field. */
interface FieldOptions {
  readonly description: string;
}

interface RangeOptions extends FieldOptions {
  readonly min: number;
  readonly max: number;
}

/**
 * Declares a JSON integer within the range; numeric text, fractions and null are refused. An optional one may be
 * absent.
 */
export function IntegerField({
  isOptional = false,
  ...range
}: RangeOptions & { readonly isOptional?: boolean }): PropertyDecorator {
  const ifGiven = isOptional ? [ValidateIf((_body, value) => value !== undefined)] : [];
  return field({ ...integer(range), required: !isOptional }, ...ifGiven, isIntegerFrom(range));
}

export function IntegerOrNullField({
  default: preset,
  ...range
}: RangeOptions & { readonly default?: number }): PropertyDecorator {
  return fieldOrNull({ ...integer(range), default: preset }, isIntegerFrom(range));
}

/** Declares an integer that may be null or absent only where the body has the other field. */
export function IntegerUnlessField(other: string, range: RangeOptions): PropertyDecorator {
  const { description, ...schema } = integer(range);
  const isNeeded = (body: object, value: unknown) =>
    (value !== undefined && value !== null) || !(body as Record<string, unknown>)[other];
  const anyOf = [schema, { type: 'null' }];
  const message = `${integerFrom(range.min, range.max).rule}, or ${other} must be sent`;
  return field({ description, anyOf, required: false }, ValidateIf(isNeeded), isIntegerFrom(range, message));
}

export function AmountField({ description }: FieldOptions): PropertyDecorator {
  const isAmount = constraint((value) => typeof value === 'number' && value >= 0, 'must be a number of at least 0');
  return fieldOrNull({ type: 'number', minimum: 0, description }, isAmount);
}

/** Declares a tax rate in percent. */
export function TaxRateField({ description }: FieldOptions): PropertyDecorator {
  const isRate = constraint(isTaxRate, TAX_RATE_RULE);
  return field({ type: Number, minimum: 0, maximum: MAX_TAX_RATE, description, required: true }, IsPresent, isRate);
}

/** Declares a price in major units, as a number or a text. */
export function DecimalField({ description, isRequired = false }: RequirableOptions): PropertyDecorator {
  const isDecimal = constraint(
    (value) => (typeof value === 'number' || typeof value === 'string') && VALUES.decimal.read(String(value)) !== null,
    `${VALUES.decimal.rule}, as a number or text`,
  );
  const forms: SchemaObject[] = [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: VALUES.decimal.pattern },
  ];
  const schema: ApiPropertyOptions = {
    type: Object,
    description: `${description} In major units of the currency: 10.99 is 10.99 USD.`,
    anyOf: isRequired ? forms : [...forms, { type: 'null' }],
    required: isRequired,
  };
  return field(schema, isRequired ? IsPresent : IsOptional(), isDecimal);
}

export function MinorUnitsField({ description }: FieldOptions): PropertyDecorator {
  const units = 'Minor units of the currency: 1099 is 10.99 USD.';
  const range = { min: 0, max: Number.MAX_SAFE_INTEGER, description: `${description} ${units}` };
  return field({ ...integer(range), required: true }, isIntegerFrom(range, AMOUNT.rule));
}

interface TextOptions extends FieldOptions {
  readonly max: number;
}

/** Declares a text that must not be absent, null or blank. */
export function RequiredTextField({ max, description }: TextOptions): PropertyDecorator {
  return field({ type: 'string', minLength: 1, maxLength: max, description }, IsPresent, isReadBy(textUpTo(max)));
}

export function TextField({ max, description }: TextOptions): PropertyDecorator {
  return fieldOrNull({ type: 'string', maxLength: max, description }, isReadBy(textUpTo(max)));
}

interface RequirableOptions extends FieldOptions {
  readonly isRequired?: boolean;
}

/** Declares a text that parameters, bundles and options read alike. */
const valueField =
  (kind: ValueKind<unknown>) =>
  ({ description, isRequired = false }: RequirableOptions): PropertyDecorator => {
    const { maxLength, pattern } = kind;
    const schema = { type: 'string', maxLength, pattern, description } as const;
    return isRequired ? field(schema, IsPresent, isReadBy(kind)) : fieldOrNull(schema, isReadBy(kind));
  };

export const ReferenceField = valueField(VALUES.reference);
export const CodeField = valueField(VALUES.code);
export const UuidField = valueField(VALUES.uuid);
export const DayField = valueField(VALUES.day);

/** A list of different references. */
export function ReferencesField({ max, description }: TextOptions): PropertyDecorator {
  const { maxLength, pattern, read } = VALUES.reference;
  const isReference = (value: unknown) => typeof value === 'string' && read(value) !== null;
  const isList = constraint(
    (value) =>
      Array.isArray(value) && value.length <= max && value.every(isReference) && new Set(value).size === value.length,
    `must be a list of at most ${max} different texts of 1 to ${maxLength} visible characters, with plain spaces only between them`,
  );
  const items: SchemaObject = { type: 'string', maxLength, pattern };
  return fieldOrNull({ type: 'array', items, maxItems: max, uniqueItems: true, description }, isList);
}

export const RequiredEmailField = ({ description }: FieldOptions) =>
  valueField(VALUES.email)({ description, isRequired: true });
export const EmailField = valueField(orEmpty(VALUES.email));
/** Declares a name. Surrounding blanks do not count. */
export const NameField = valueField(VALUES.displayName);
export const CurrencyField = valueField(VALUES.currency);
export const CountryField = ({ description }: FieldOptions) =>
  valueField(orEmpty(VALUES.country))({ description: `${description} In any letter case; \`""\` means none.` });
export const WebAddressField = valueField(orEmpty(VALUES.webAddress));

interface WordOptions extends FieldOptions {
  readonly words: readonly string[];
}

export function WordField({
  words,
  message,
  ...schema
}: WordOptions & { readonly default: string; readonly message: string }): PropertyDecorator {
  const isWord = isReadBy({ ...wordOf(words), rule: message });
  return fieldOrNull({ type: 'string', enum: [...words], ...schema }, isWord);
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
  const { schema, isList } = wordList(options);
  return fieldOrNull(schema, isList);
}

export function RequiredWordsField(options: WordOptions): PropertyDecorator {
  const { schema, isList } = wordList(options);
  return field(schema as ApiPropertyOptions, isList);
}

function wordList({ words, description }: WordOptions) {
  const isList = constraint(
    (value) => Array.isArray(value) && value.length > 0 && value.every((word) => words.includes(word as string)),
    `must be a list of one or more of ${words.join(', ')}`,
  );
  const items: SchemaObject = { type: 'string', enum: [...words] };
  return { schema: { type: 'array', items, minItems: 1, description } as SchemaObject, isList };
}

export function FlagField(schema: FieldOptions & { readonly default?: boolean }): PropertyDecorator {
  const isFlag = constraint((value) => typeof value === 'boolean', FLAG.rule);
  return fieldOrNull({ type: 'boolean', ...schema }, isFlag);
}

/** Declares null or a time with a zone, at most a day ahead, which allows for clocks that differ. */
export const TimestampField = timeField('and not in the future', (time) => {
  const tomorrow = new Date();
  tomorrow.setUTCDate(tomorrow.getUTCDate() + 1);
  return time < tomorrow;
});

/** Declares null or a time with a zone that is in the future. */
export const FutureTimeField = timeField('in the future', (time) => time > new Date());

function timeField(when: string, isThen: (time: Date) => boolean) {
  const rule = `${VALUES.time.rule}, ${when}`;
  const read = (text: string) => {
    const time = VALUES.time.read(text);
    return time && isThen(time) ? time : null;
  };
  return ({ description }: FieldOptions): PropertyDecorator =>
    fieldOrNull({ type: 'string', format: 'date-time', description }, isReadBy({ rule, read }));
}

/** Limits the networks of a key, because each of its requests is compared with each of them. */
const MAX_NETWORKS = 50;

export function NetworksField({ description }: FieldOptions): PropertyDecorator {
  const isNetwork = (value: unknown) => typeof value === 'string' && readNetwork(value).network !== null;
  const isList = constraint(
    (value) => Array.isArray(value) && value.length > 0 && value.length <= MAX_NETWORKS && value.every(isNetwork),
    `must be a list of 1 to ${MAX_NETWORKS} networks such as 192.0.2.0/24, or addresses, without host bits`,
  );
  const items: SchemaObject = { type: 'string', examples: ['192.0.2.0/24'] };
  return fieldOrNull({ type: 'array', items, minItems: 1, maxItems: MAX_NETWORKS, description }, isList);
}

/** Declares HTTP headers with their values, by name. */
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

/** Declares metadata in which null removes a key. */
export function MetadataPatchField({ description }: FieldOptions): PropertyDecorator {
  const text: SchemaObject = { anyOf: [METADATA_SCHEMA.additionalProperties, { type: 'null' }] };
  const message = `${METADATA_RULE}; null removes a key`;
  return fieldOrNull(
    { ...METADATA_SCHEMA, additionalProperties: text, description },
    WithMembers,
    constraint(isMetadataPatch, message),
  );
}

/** Keeps the members of an object, because class-transformer does not read them. */
const WithMembers = Transform(({ obj, key }): unknown => (obj as Record<string, unknown>)[key]);

/** Declares an object. An absent or null object is read as empty, so that its required fields are reported. */
export function ObjectField(Body: BodyClass): PropertyDecorator {
  const read = Transform(({ obj, key }) => readObject(Body, (obj as Record<string, unknown>)[key] ?? {}));
  return field({ type: Body }, read, IsObject);
}

/** Declares an object for which null means absent. */
export function OptionalObjectField(Body: BodyClass, options: Partial<FieldOptions> = {}): PropertyDecorator {
  const read = Transform(({ obj, key }) => {
    const value = (obj as Record<string, unknown>)[key] ?? undefined;
    return value === undefined ? value : readObject(Body, value);
  });
  return field({ type: Body, ...options, required: false }, read, IsOptional(), IsObject);
}

interface ListOptions extends FieldOptions {
  /** The minimum number of entries; when absent, 1. */
  readonly min?: number;
  readonly max: number;
  readonly isOptional?: boolean;
  /** Another name of the list: this one may be absent or null only where the body has the other. */
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

/** Returns a value that {@link IsObject} refuses for anything but an object, such as a list or null. */
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

function isIntegerFrom({ min, max }: RangeOptions, message = integerFrom(min, max).rule) {
  return constraint((value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max, message);
}

function isOneOf(words: readonly string[]): PropertyDecorator {
  return constraint((value) => words.includes(value as string), wordOf(words).rule);
}

function textUpTo(max: number): ValueReader<string> {
  const rule = `must be text of at most ${max} characters, without NUL or lone surrogates`;
  return { rule, read: (text) => (isText(text, max) ? text : null) };
}

function isReadBy({ read, rule }: ValueReader<unknown>): PropertyDecorator {
  return constraint((value) => typeof value === 'string' && read(value) !== null, rule);
}

function constraint(validate: (value: unknown) => boolean, message: string): PropertyDecorator {
  // The message is also the name of the validator, so all messages of a field must differ.
  return ValidateBy({ name: message, validator: { validate, defaultMessage: () => message } });
}
