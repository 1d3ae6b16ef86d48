import { withResponses } from '../../support/documented-answers.js';
import type { Service } from './service.js';

export interface ListParameter {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  /** All its values; `null` if the document does not list them. */
  readonly values: readonly string[] | null;
  /** A number that is clamped to its range, such as `limit`. */
  readonly isClamped: boolean;
  /** Whether every value but `values` returns 400. */
  readonly isStrict: boolean;
}

interface Operation {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: { readonly type: string; readonly enum?: readonly string[]; readonly minimum?: number };
  }[];
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
      name,
      type: schema.type,
      values: schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? null),
      isClamped: schema.minimum !== undefined,
      isStrict: refusals.includes(`${name} must be true or false`),
    }));
}
