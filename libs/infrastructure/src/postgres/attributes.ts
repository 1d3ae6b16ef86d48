import type { VariantAttributes } from '@app/domain';

/**
 * Attributes in their order, which jsonb does not keep.
 *
 * @param names in their order. Attributes that are not among them come last, and names without an attribute are passed
 *   over: an earlier release that still runs writes no names.
 */
export function inOrder(attributes: VariantAttributes, names: readonly string[]): VariantAttributes {
  const known = names.filter((name) => Object.hasOwn(attributes, name));
  return { ...Object.fromEntries(known.map((name) => [name, attributes[name] ?? ''])), ...attributes };
}
