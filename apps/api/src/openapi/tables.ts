import type { OpenAPIObject } from '@nestjs/swagger';
import { FORMAT } from '../query/parameters.js';
import { optionalHeaders } from './components.js';

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Record<string, { content?: object; headers?: object }>;
}

const EXAMPLE = 'id,status,total_amount,created_at\r\n0199a1c2,PENDING,15980,2026-11-20T09:30:00.000Z\r\n';

/** Adds the answer in CSV to the operations with the parameter `format`: Nest has one schema for all types of an answer. */
export function addTables({ paths }: OpenAPIObject): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path as Record<string, Operation>));
  for (const { parameters = [], responses } of operations) {
    const found = responses['200'];
    if (!found || !parameters.some(({ name }) => name === FORMAT.name)) continue;
    const example = { summary: 'Found, with `format=csv`', value: EXAMPLE };
    found.content = { ...found.content, 'text/csv': { schema: { type: 'string' }, examples: { table: example } } };
    found.headers = { ...found.headers, ...optionalHeaders('X-Truncated') };
  }
}
