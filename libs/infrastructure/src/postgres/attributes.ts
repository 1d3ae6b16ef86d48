import type { VariantAttributes } from '@app/domain';

/**
 * Restores the sequence of attributes, which jsonb does not keep.
 * @param names the names in sequence. Attributes without a name in the list come last; names without an attribute are
 * skipped. An earlier release that is still running writes no names.
 */
export function sortAttributes(attributes: VariantAttributes, names: readonly string[]): VariantAttributes {
  const known = names.filter((name) => Object.hasOwn(attributes, name));
  return { ...Object.fromEntries(known.map((name) => [name, attributes[name] ?? ''])), ...attributes };
}
