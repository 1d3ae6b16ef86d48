import type { OpenAPIObject } from '@nestjs/swagger';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

/** A key of `x-codeSamples`. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

const ADDRESS = 'http://localhost:3000';
const KEY = '-H "Authorization: Bearer $KEY"';

/**
 * Adds to each operation a `curl` command and a call of the typed client, made from the examples of the document. Repeats
 * the examples of path parameters and bodies outside their schemas, where tools that send requests look for them: Nest
 * drops an example beside a schema. Not those of headers: the documentation page would fill in an Idempotency-Key.
 */
export function addCodeSamples(document: OpenAPIObject): void {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ['get', 'post'] as const) {
      const operation = item[method];
      if (operation) Object.assign(operation, { 'x-codeSamples': codeSamples(document, path, method, operation) });
    }
  }
}

function codeSamples(
  document: OpenAPIObject,
  path: string,
  method: 'get' | 'post',
  operation: Operation,
): CodeSample[] {
  const body = method === 'post' ? bodyOf(document, operation) : null;
  const sent = { path: pathExamples(operation), body, isKeyed: takesKey(operation) };
  return [
    { lang: 'Shell', label: 'curl', source: curl(path, sent) },
    { lang: 'TypeScript', label: 'Typed client', source: typedCall(path, method, sent) },
  ];
}

interface Sent {
  readonly path: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Whether the operation takes an Idempotency-Key. */
  readonly isKeyed: boolean;
}

const IDEMPOTENCY_KEY = 'web-1001';

function curl(path: string, { path: parameters, body, isKeyed }: Sent): string {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
  const order = ` \\\n  -H 'Content-Type: application/json'${isKeyed ? ` -H 'Idempotency-Key: ${IDEMPOTENCY_KEY}'` : ''} \\\n  -d '${JSON.stringify(body)}'`;
  return `curl '${ADDRESS}${url}' ${KEY}${body === null ? '' : order}`;
}

function typedCall(path: string, method: string, { path: parameters, body, isKeyed }: Sent): string {
  const header = { 'Idempotency-Key': IDEMPOTENCY_KEY };
  const params = {
    ...(Object.keys(parameters).length > 0 ? { path: parameters } : {}),
    ...(isKeyed ? { header } : {}),
  };
  const options = { ...(Object.keys(params).length > 0 ? { params } : {}), ...(body ? { body } : {}) };
  const more = Object.keys(options).length > 0 ? `, ${literal(options)}` : '';
  return `const { data, error } = await client.${method.toUpperCase()}('${path}'${more});`;
}

/** A value as TypeScript, with names unquoted where possible. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"(\w+)":/gm, '$1$2:');
}

function takesKey({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => 'in' in parameter && parameter.name === 'Idempotency-Key');
}

/** Copies the examples of path parameters out of their schemas, and returns them. */
function pathExamples({ parameters = [] }: Operation): Record<string, string> {
  const found: Record<string, string> = {};
  for (const parameter of parameters) {
    if (!('in' in parameter) || parameter.in !== 'path') continue;
    const { examples = [] } = (parameter.schema ?? {}) as { readonly examples?: readonly string[] };
    const [example = ''] = examples;
    found[parameter.name] = example;
    parameter.example = example;
  }
  return found;
}

/** The example of the schema that the body refers to, which is copied beside the reference. */
function bodyOf({ components }: OpenAPIObject, { requestBody }: Operation): unknown {
  const media = requestBody && 'content' in requestBody ? requestBody.content['application/json'] : undefined;
  const schema = media?.schema;
  const name = schema && '$ref' in schema ? (schema.$ref.split('/').at(-1) ?? '') : '';
  const { examples = [] } = (components?.schemas?.[name] ?? {}) as { examples?: readonly unknown[] };
  const [example = null] = examples;
  if (media) media.example = example;
  return example;
}
