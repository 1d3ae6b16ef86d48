import { withResponses } from '../../support/documented-answers.js';
import type { Service } from './service.js';

export interface ListParameter {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  /** All its values, of a time or a date an early and a late one; `null` if the document does not list them. */
  readonly values: readonly string[] | null;
  /** A number that is clamped to its range, such as `limit`. */
  readonly isClamped: boolean;
  /** Whether every value except `values` returns 400. */
  readonly isStrict: boolean;
}

const STRICT = ['true', 'one of', 'one or more of', 'a time', 'a date'];
const TIMES = ['2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];

interface Schema {
  readonly type: string;
  readonly format?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly items?: Schema;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Media {
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>;
}

export async function listParameters({ url }: Pick<Service, 'url'>): Promise<ListParameter[]> {
  const document = withResponses((await (await fetch(`${url}/openapi.json`)).json()) as Document);
  return Object.entries(document.paths).flatMap(([path, { get }]) => (get ? parametersOf(path, get) : []));
}

function parametersOf(path: string, { parameters = [], responses }: Operation): ListParameter[] {
  const refusals = Object.keys(responses['400']?.content?.['application/json']?.examples ?? {});
  return parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({
      path,
      // Metadata needs a key.
      name: schema.type === 'object' ? `${name}[erp_id]` : name,
      type: schema.type,
      values: valuesOf(schema),
      isClamped: schema.minimum !== undefined,
      isStrict: STRICT.some((form) => refusals.some((refusal) => refusal.startsWith(`${name} must be ${form}`))),
    }));
}

function valuesOf({ type, format, items, enum: words = items?.enum ?? [] }: Schema): readonly string[] | null {
  if (words.length > 0) return words.map(String);
  if (type === 'boolean') return ['true', 'false'];
  if (format === 'date-time') return TIMES;
  if (format === 'date') return TIMES.map((time) => time.slice(0, 10));
  return null;
}
