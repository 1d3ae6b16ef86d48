import { readFileSync } from 'node:fs';
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { Invalid } from './invalid.js';

/** A line of a store bundle. */
export interface BundleLine {
  readonly kind: 'warehouse' | 'bin' | 'brand' | 'category' | 'product' | 'stock';
  readonly [field: string]: unknown;
}

const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = new Map<string, ValidateFunction>();

/** Compiles the published schema of each kind. */
function compile(): void {
  const file = new URL('../store-bundle.schema.json', import.meta.url);
  const { anyOf } = JSON.parse(readFileSync(file, 'utf8')) as { anyOf: AnySchemaObject[] };
  for (const schema of anyOf) {
    const { kind } = schema['properties'] as { kind: { const: string } };
    validators.set(kind.const, ajv.compile(schema));
  }
}

/** @throws Invalid when the published schema refuses the line: an import would refuse it with all lines of its batch. */
export function assertValid(line: BundleLine): void {
  if (validators.size === 0) compile();
  const validate = validators.get(line.kind);
  if (validate?.(line)) return;
  const { instancePath = '', message = 'is not valid' } = validate?.errors?.[0] ?? {};
  throw new Invalid(`${line.kind}${instancePath.replaceAll('/', '.')} ${message}`);
}
