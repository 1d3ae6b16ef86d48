import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';

interface Response {
  readonly headers: Record<string, unknown>;
}

interface Operation {
  readonly responses: Record<string, Response>;
}

export interface ApiDocument {
  readonly paths: Record<string, Record<string, Operation>>;
}

const FORMATS = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  int32: true,
  int64: true,
} as const;

/** Headers with a meaning of their own here, as opposed to those of any HTTP response. */
const OWN_HEADERS = /^(?:x-(?!content-type-options)|idempotent-|retry-after|www-authenticate)/;

/** The document as it is committed; a test of its own holds it against the running service. */
export function committedDocument(): ApiDocument {
  return JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')) as ApiDocument;
}

/** An answer of the service, to a request that had one of its routes. */
export interface Answer {
  readonly method: string;
  /** As the document writes it: `/v1/orders/{id}`. */
  readonly path: string;
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: unknown;
}

/** Holds values against the schemas of the document, with no member beyond those documented. */
export class DocumentedAnswers {
  private readonly ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, formats: FORMATS });

  constructor(private readonly document: ApiDocument) {
    this.ajv.addVocabulary(Object.keys(document));
    this.ajv.addSchema(close(document) as AnySchemaObject, 'api');
  }

  /** What is wrong with a value under the schema at a place in the document. */
  faults(place: readonly string[], value: unknown): string[] {
    const pointer = place.map((step) => encodeURIComponent(step.replaceAll('/', '~1'))).join('/');
    this.ajv.validate({ $ref: `api#/${pointer}` }, value);
    return (this.ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  /** What the document does not say of an answer: its status, one of its headers, or something in its body. */
  contradictions({ method, path, status, headers, body }: Answer): string[] {
    const name = method.toLowerCase();
    const response = this.document.paths[path]?.[name]?.responses[status];
    if (!response) return ['the status is not documented'];
    const known = Object.keys(response.headers).map((header) => header.toLowerCase());
    const strange = headers.filter((header) => OWN_HEADERS.test(header) && !known.includes(header));
    const schema = ['paths', path, name, 'responses', String(status), 'content', 'application/json', 'schema'];
    return [...strange.map((header) => `header ${header} is not documented`), ...this.faults(schema, body)];
  }
}

let committed: DocumentedAnswers | null = null;
let found: string[] = [];

/** From now on every answer of the application is held against the document; see `takeContradictions`. */
export function holdAgainstDocument(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const route = request.routeOptions.url;
    // HEAD has no body, and what no route takes no operation describes.
    if (request.method !== 'HEAD' && route?.startsWith('/v1')) {
      committed ??= new DocumentedAnswers(committedDocument());
      const { method } = request;
      const path = route.replace(/:(\w+)/g, '{$1}');
      const body = parse(payload);
      const faults = committed.contradictions({
        method,
        path,
        status: reply.statusCode,
        headers: Object.keys(reply.getHeaders()),
        body,
      });
      found.push(...faults.map((fault) => `${method} ${path} ${reply.statusCode}: ${fault}`));
    }
    done(null, payload);
  });
}

/** The contradictions since the last call. */
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

/** The same schemas for objects with the documented members and no other. Clients are not promised that. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy;
}
