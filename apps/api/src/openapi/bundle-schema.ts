import { published } from '@app/bundles';
import { MAX_INT4 } from '@app/domain';
import type { TSchema } from '@sinclair/typebox';
import { isJsonObject } from '../body/fields.js';

/**
 * Describes a part of the store bundle for client generators: a constant becomes a word, and an integer that may be large
 * gets its format.
 */
export function bundleSchema<Schema extends TSchema>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(published(schema)), (_name, value: unknown) => {
    if (!isJsonObject(value)) return value;
    const { const: word, ...others } = value;
    if (word !== undefined) return { ...others, enum: [word] };
    if (![others['type']].flat().includes('integer')) return others;
    return { ...others, format: Number(others['maximum']) > MAX_INT4 ? 'int64' : 'int32' };
  }) as Schema;
}
