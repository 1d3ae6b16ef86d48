import type { VariantAttributes } from '@app/domain';

/**
 * Restores the order of attributes, which jsonb does not keep.
 *
 * @param names in order. Attributes without a name in the list come last; names without an attribute are skipped: an
 *   earlier release that still runs writes no names.
 */
export function sortAttributes(attributes: VariantAttributes, names: readonly string[]): VariantAttributes {
  const known = names.filter((name) => Object.hasOwn(attributes, name));
  return { ...Object.fromEntries(known.map((name) => [name, attributes[name] ?? ''])), ...attributes };
}
