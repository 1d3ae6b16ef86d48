import { FLAG, isStorable } from '@app/domain';
import type { TSchema } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidateFunction, DataValidationCxt, FuncKeywordDefinition } from 'ajv/dist/types/index.js';
import { IMPORT_LINES, LINES } from '../schema/bundle-schema.js';
import type { BundleLine, ImportableLine, SettingsFields } from '../schema/bundle.js';
import { SETTINGS, STORE_DEFAULTS } from '../schema/store-line.js';
import { object } from '../schema/vocabulary.js';
import { Fault, quoted } from './faults.js';
import { EMPTY_FOR_NULL, problemOfRepetition, readText, RULES, STORABLE, TRIMMED, type Problem } from './line-rules.js';

export type OnTrimmed = (path: string) => void;

type Definition = Required<FuncKeywordDefinition>;

const ajv = new Ajv2020({ allowUnionTypes: true, passContext: true, verbose: true, validateSchema: false });
ajv.addVocabulary(['problem']);
addKeyword('reads', ['string', 'null'], 'string', (name: string, { problem = 'must be text' }) =>
  validator((given: string | null, { parentData, parentDataProperty, instancePath }, onTrimmed) => {
    if (given === null && !EMPTY_FOR_NULL.has(name)) return null;
    if (given !== null && !isStorable(given)) return { problem: STORABLE };
    const text = given ? readText(name, given) : '';
    if (text === null) return { problem: String(problem) };
    if (text === given) return null;
    parentData[parentDataProperty] = text;
    if (given !== null && TRIMMED.has(name)) onTrimmed(instancePath);
    return null;
  }),
);
addKeyword('rule', ['object', 'array'], 'string', (name: keyof typeof RULES) =>
  validator((value: never, { instancePath }, onTrimmed) => RULES[name]?.(value, () => onTrimmed(instancePath)) ?? null),
);
// The keyword names the properties by which the items of a list must differ.
addKeyword('differ', ['array'], 'array', (properties: readonly string[]) =>
  validator((items: Parameters<typeof problemOfRepetition>[0]) => problemOfRepetition(items, properties)),
);

function addKeyword(
  keyword: string,
  type: Definition['type'],
  schemaType: Definition['schemaType'],
  compile: Definition['compile'],
): void {
  ajv.addKeyword({ keyword, type, schemaType, compile, modifying: keyword === 'reads', errors: true });
}

function validator<Value>(
  problemOf: (value: Value, place: DataValidationCxt, onTrimmed: OnTrimmed) => Problem | null,
): DataValidateFunction {
  function validate(this: OnTrimmed, value: Value, place?: DataValidationCxt): boolean {
    const params = place ? problemOf(value, place, this) : null;
    validate.errors = params ? [{ keyword: 'own', params }] : [];
    return params === null;
  }
  validate.errors = [] as Partial<ErrorObject>[];
  return validate as DataValidateFunction;
}

/**
 * Replaces texts in the value by their stored form. @throws Fault that names the first invalid field, and unknown
 * fields.
 */
type CheckLine<Line> = (value: unknown, onTrimmed?: OnTrimmed) => Line;

function checkOf<Line>(schemas: Readonly<Record<string, TSchema>>): CheckLine<Line> {
  return (value, onTrimmed = () => undefined) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Fault('the line', 'must be an object');
    const { kind } = value as { kind?: unknown };
    const schema = typeof kind === 'string' && Object.hasOwn(schemas, kind) ? schemas[kind] : undefined;
    if (!schema) throw new Fault('kind', `must be one of ${Object.keys(schemas).join(', ')}`);
    check(schema, kind as string, value, onTrimmed);
    return value as Line;
  };
}

/**
 * Compiles a schema when the first value for it arrives: the API loads this module, and most processes check no line.
 */
const validators = new Map<TSchema, ValidateFunction>();

/** @param name begins the paths of faults; `''` for a value without a name. */
function check(schema: TSchema, name: string, value: object, onTrimmed: OnTrimmed): void {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  if (isValid(validate, value, (path) => onTrimmed(dotted(name, path)))) return;
  const first = faultOf(name, validate.errors?.[0]);
  throw first.with(unknownFields(schema, value, name));
}

export const checkLine = checkOf<BundleLine>(LINES);
export const checkImportLine = checkOf<ImportableLine>(IMPORT_LINES);

/** Each setting as the only field of an object, so that each one has its own fault. */
const SETTING_OBJECTS = Object.entries(SETTINGS.properties).map(
  ([name, schema]) => [name, object({ [name]: schema })] as const,
);

/**
 * Checks the settings that are given. Null sets the default; a store has no default name.
 * @returns the settings in their stored form, and the first fault of each invalid one.
 */
export function checkSettings(given: Readonly<Record<string, unknown>>) {
  const settings: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, schema] of SETTING_OBJECTS) {
    if (!Object.hasOwn(given, name)) continue;
    const value = structuredClone({ [name]: given[name] ?? STORE_DEFAULTS[name] });
    try {
      check(schema, '', value, () => undefined);
      Object.assign(settings, value);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(error);
    }
  }
  return { settings: settings as SettingsFields, faults };
}

const isValid = (validate: ValidateFunction, value: unknown, onTrimmed: OnTrimmed): boolean =>
  Reflect.apply<unknown, [unknown], boolean>(validate as never, onTrimmed, [value]);

function dotted(kind: string, pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.reduce((path, part) => {
    return /^\d+$/.test(part) ? `${path}[${part}]` : member(path, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  }, kind);
}

const member = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function faultOf(kind: string, error: ErrorObject | undefined): Fault {
  if (!error) throw new Error('The validator rejects a line without a reason');
  const path = dotted(kind, error.instancePath);
  const { missingProperty, additionalProperty, at = '', problem } = error.params as Record<string, string>;
  if (missingProperty) return new Fault(member(path, missingProperty), 'is required');
  if (additionalProperty) return new Fault(path, `has no field ${quoted(additionalProperty)}`);
  return problem ? new Fault(path + at, problem) : new Fault(path, problemOf(error));
}

function problemOf({ keyword, parentSchema, propertyName }: ErrorObject): string {
  const schema = (parentSchema ?? {}) as Record<'type' | 'enum', unknown> & Record<string, string | number | undefined>;
  const { type, minimum, maximum, maxLength, maxItems, problem, enum: values } = schema;
  if (propertyName !== undefined) return `must have names of at most ${String(maxLength)} characters`;
  if (problem !== undefined && keyword !== 'type') return String(problem);
  if (keyword === 'maxLength') return `must have at most ${String(maxLength)} characters`;
  if (keyword === 'pattern') return 'must not be empty';
  if (keyword === 'maxItems') return `must have at most ${String(maxItems)} items`;
  if (Array.isArray(values)) return `must be one of ${values.join(', ')}`;
  const isNumber = type === 'number';
  if (minimum !== undefined)
    return `must be ${isNumber ? 'a number' : 'an integer'} from ${String(minimum)} to ${String(maximum)}`;
  if (keyword !== 'type') return 'is not valid';
  const [first] = Array.isArray(type) ? (type as unknown[]) : [type];
  return WORDS[String(first)] ?? 'has the wrong type';
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'must be text',
  boolean: FLAG.rule,
  object: 'must be an object',
  array: 'must be a list',
};

const MAX_UNKNOWN = 20;

/**
 * Names unknown fields, because the check ends at its first fault, which may be the consequence of a misspelled field.
 */
function unknownFields(schema: TSchema, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, items, additionalProperties } = schema as Partial<Record<string, Record<string, TSchema>>>;
  const unknownIn = (name: string): string[] => {
    const part = (value as Readonly<Record<string, unknown>>)[name];
    if (Array.isArray(value)) return items ? unknownFields(items as TSchema, part, `${path}[${name}]`) : [];
    if (Object.hasOwn(properties, name)) return unknownFields(properties[name] as TSchema, part, member(path, name));
    return additionalProperties === (false as unknown) ? [`${path} has no field ${quoted(name)}`] : [];
  };
  const found: string[] = [];
  // A line may have 100,000 unknown fields.
  for (const name of Object.keys(value)) {
    if (found.length >= MAX_UNKNOWN) break;
    found.push(...unknownIn(name));
  }
  return found.slice(0, MAX_UNKNOWN);
}
