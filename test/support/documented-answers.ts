import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';

interface DocumentedHeader {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly schema?: { readonly enum?: readonly string[] };
}

export interface DocumentedResponse {
  readonly headers: Record<string, DocumentedHeader>;
  readonly content?: unknown;
}

export interface ApiDocument {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, DocumentedResponse> }>>;
  readonly components: { readonly headers: Record<string, DocumentedHeader> };
}

const FORMATS = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  int32: true,
  int64: true,
} as const;

/** Headers that this API defines, as opposed to general HTTP headers. */
const OWN_HEADERS = /^(?:x-(?!content-type-options)|idempotent-|retry-after|www-authenticate)/;

/** The committed document. `documentation.spec.ts` compares it with the running service. */
export function committedDocument(): ApiDocument {
  return withResponses(JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')) as ApiDocument);
}

/** The document with each shared response in the operations that refer to it. */
export function withResponses<Document>(document: Document): Document {
  const { responses = {} } = (document as { components: { responses?: Record<string, unknown> } }).components;
  return JSON.parse(JSON.stringify(document), (_key, value: { $ref?: unknown } | null) => {
    const [, name] = /^#\/components\/responses\/(.+)$/.exec(String(value?.$ref)) ?? [];
    return name === undefined ? value : responses[name];
  }) as Document;
}

export interface Answer {
  readonly method: string;
  /** The path as in the document: `/v1/orders/{id}`. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

function errorCodesOf(response: DocumentedResponse): readonly string[] {
  return response.headers['X-Error-Code']?.schema?.enum ?? [];
}

/** Checks values against the schemas of the document. An undocumented member is a fault. */
export class DocumentedAnswers {
  private readonly ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, formats: FORMATS });
  /** Compiled schemas by their place in the document. Ajv compiles a schema again when it gets another object. */
  private readonly validators = new Map<string, ValidateFunction>();
  /** Keyed by the text of the schema: the operations share most of their answers, and compiling one costs milliseconds. */
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly document: ApiDocument) {
    this.ajv.addVocabulary([...Object.keys(document), 'x-enum-varnames', 'discriminator']);
    this.ajv.addSchema(close(document) as AnySchemaObject, 'api');
  }

  faults(place: readonly string[], value: unknown): string[] {
    const pointer = place.map((step) => encodeURIComponent(step.replaceAll('/', '~1'))).join('/');
    const validate = this.validators.get(pointer) ?? this.compile(place, pointer);
    this.validators.set(pointer, validate);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  private compile(place: readonly string[], pointer: string): ValidateFunction {
    const schema = place.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], this.document);
    const text = JSON.stringify(schema);
    const validate = this.compiled.get(text) ?? this.ajv.compile({ $ref: `api#/${pointer}` });
    this.compiled.set(text, validate);
    return validate;
  }

  contradictions({ method, path, status, headers, body }: Answer): string[] {
    const name = method.toLowerCase();
    const response = this.document.paths[path]?.[name]?.responses[status];
    if (!response) return ['the status is not documented'];
    const known = Object.keys(response.headers).map((header) => header.toLowerCase());
    const strange = Object.keys(headers).filter((header) => OWN_HEADERS.test(header) && !known.includes(header));
    const missing = Object.entries(response.headers)
      .filter(([header, described]) => this.isRequired(described) && headers[header.toLowerCase()] === undefined)
      .map(([header]) => `header ${header} is missing`);
    const code = status >= 400 ? this.codeFault(headers, errorCodesOf(response)) : [];
    if (String(headers['content-type']).startsWith('text/csv')) {
      const isDocumented = Object.hasOwn(response.content ?? {}, 'text/csv');
      return [...strange, ...missing, ...(isDocumented ? [] : ['the table is not documented'])];
    }
    if (response.content === undefined)
      return body === undefined ? strange : [...strange, 'the body is not documented'];
    const schema = ['paths', path, name, 'responses', String(status), 'content', 'application/json', 'schema'];
    return [
      ...strange.map((header) => `header ${header} is not documented`),
      ...missing,
      ...code,
      ...this.faults(schema, body),
    ];
  }

  private isRequired({ $ref, required = false }: DocumentedHeader): boolean {
    if ($ref === undefined) return required;
    return this.document.components.headers[$ref.split('/').at(-1) ?? '']?.required === true;
  }

  undocumentedCode(headers: Answer['headers']): string[] {
    const responses = Object.values(this.document.paths)
      .flatMap((operations) => Object.values(operations))
      .flatMap((operation) => Object.values(operation.responses));
    return this.codeFault(headers, responses.flatMap(errorCodesOf));
  }

  private codeFault(headers: Answer['headers'], documented: readonly string[]): string[] {
    const code = headers['x-error-code'];
    if (typeof code !== 'string') return ['X-Error-Code is missing'];
    return documented.includes(code) ? [] : [`X-Error-Code ${code} is not documented`];
  }
}

let committed: DocumentedAnswers | null = null;
let found: string[] = [];

export function holdAgainstDocument(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const route = request.routeOptions.url;
    const { method } = request;
    const headers = reply.getHeaders();
    committed ??= new DocumentedAnswers(committedDocument());
    // An answer to HEAD has no body, and no operation describes a request without a route.
    if (method === 'HEAD' || !route?.startsWith('/v1')) {
      // The pages of the dashboard are not part of the document.
      const isDescribed = reply.statusCode >= 400 && !route?.startsWith('/dashboard');
      const faults = isDescribed ? committed.undocumentedCode(headers) : [];
      found.push(...faults.map((fault) => `${method} ${route ?? 'unknown path'} ${reply.statusCode}: ${fault}`));
    } else {
      const path = route.replace(/:(\w+)/g, '{$1}');
      const body = parse(payload) ?? undefined;
      const faults = committed.contradictions({
        method,
        path,
        status: reply.statusCode,
        headers,
        body,
      });
      found.push(...faults.map((fault) => `${method} ${path} ${reply.statusCode}: ${fault}`));
    }
    done(null, payload);
  });
}

export function takeContradictions(): string[] {
  const all = found;
  found = [];
  return all;
}

function parse(payload: unknown): unknown {
  try {
    return JSON.parse(String(payload));
  } catch {
    return undefined;
  }
}

/** Makes each schema reject undocumented members. Clients get no such promise. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
