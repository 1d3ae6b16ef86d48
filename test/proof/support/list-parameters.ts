import type { Service } from './service.js';

/** A query parameter of a list. */
export interface ListParameter {
  /** The path of the list in the API document. */
  readonly path: string;
  readonly name: string;
  /** The JSON type of its values. */
  readonly type: string;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: { readonly type: string };
}

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

/** All query parameters in the API document of the service. A test compares the document with the code that reads them. */
export async function listParameters({ url }: Pick<Service, 'url'>): Promise<ListParameter[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return Object.entries(document.paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema: { type } }) => ({ path, name, type })),
  );
}
