import type { TSchema } from '@sinclair/typebox';
import { quoted } from './faults.js';

const MOST = 20;

/** The check of a line ends at its first fault, which may be the consequence of a misspelled field. */
export function unknownFields(schema: TSchema, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, items, additionalProperties } = schema as Partial<Record<string, Record<string, TSchema>>>;
  const found = Object.entries(value).flatMap(([name, part]) => {
    if (Array.isArray(value)) return items ? unknownFields(items as TSchema, part, `${path}[${name}]`) : [];
    if (Object.hasOwn(properties, name)) return unknownFields(properties[name] as TSchema, part, `${path}.${name}`);
    return additionalProperties === (false as unknown) ? [`${path} has no field ${quoted(name)}`] : [];
  });
  return found.slice(0, MOST);
}
