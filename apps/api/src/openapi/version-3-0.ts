import { isJsonObject } from '../body/fields.js';

type Node = Record<string, unknown>;

/**
 * Converts the document to OpenAPI 3.0, for client generators that do not read 3.1. It omits what their clients cannot
 * handle: webhooks, which 3.0 lacks, `required` for fields that may be null, and the `enum` of booleans.
 * @param document the document as JSON.
 */
export function inVersion30(document: string): object {
  const { webhooks: _, components, ...others } = JSON.parse(document, downgrade) as Record<string, Node>;
  const { schemas = {}, ...shared } = components as Record<string, Node>;
  const references = JSON.stringify([others, shared, schemas]);
  const isUsed = (name: string) => references.includes(`"#/components/schemas/${name}"`);
  const used = Object.fromEntries(Object.entries(schemas).filter(([name]) => isUsed(name)));
  return { ...others, openapi: '3.0.3', components: { ...shared, schemas: used } };
}

/** Called for each value after its members. */
function downgrade(key: string, value: unknown): unknown {
  // In 3.0, only OAuth has scopes.
  if (key === 'security' && Array.isArray(value)) return value.map(withoutScopes);
  if (!isJsonObject(value)) return value;
  const node = withNullable(value);
  if (Array.isArray(node['examples'])) {
    node['example'] = node['examples'][0] as unknown;
    delete node['examples'];
  }
  if (node['type'] === 'boolean') delete node['enum'];
  // This keyword is unknown in 3.0.
  delete node['propertyNames'];
  if (Array.isArray(node['required'])) {
    const properties = node['properties'] as Record<string, Node> | undefined;
    node['required'] = node['required'].filter((name: string) => properties?.[name]?.['nullable'] !== true);
    if ((node['required'] as unknown[]).length === 0) delete node['required'];
  }
  return node;
}

function withoutScopes(schemes: Node): Node {
  return Object.fromEntries(Object.keys(schemes).map((name) => [name, []]));
}

/** Turns the type `['string', 'null']`, and `null` as an alternative, into `nullable`. */
function withNullable({ ...node }: Node): Node {
  const { type, anyOf, oneOf = anyOf, ...others } = node;
  if (Array.isArray(type)) return { ...node, type: type[0] as unknown, nullable: true };
  const all = Array.isArray(oneOf) ? (oneOf as Node[]) : [];
  const [schema, ...more] = all.filter((each) => each['type'] !== 'null');
  if (!schema || more.length + 1 === all.length) return node;
  if (more.length > 0) return { ...others, anyOf: [schema, ...more].map((each) => ({ ...each, nullable: true })) };
  return { ...('$ref' in schema ? { type: 'object', allOf: [schema] } : schema), ...others, nullable: true };
}
