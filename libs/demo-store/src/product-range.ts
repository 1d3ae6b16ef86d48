/** Splits a `|`-separated word table. */
export const list = (text: string): readonly string[] => text.split('|');

/** One value of a variant attribute: label, SKU part, and the surcharge in cents. */
export type OptionValue = readonly [label: string, code: string, surcharge: number];

/** An attribute that distinguishes variants. `spread` values are adjacent, other values are picked at random. */
export interface VariantAxis {
  readonly attribute: string;
  readonly values: readonly OptionValue[];
  readonly spread: boolean;
}

/** An axis from `label=code|label=code`; each next value costs `surchargeStep` cents more. */
export const axis = (attribute: string, text: string, surchargeStep: number): VariantAxis => ({
  attribute,
  spread: attribute !== 'Color',
  values: list(text).map((entry, index) => {
    const [label = entry, code = entry] = entry.split('=');
    return [label, code, index * surchargeStep];
  }),
});

/** A sub-category and the word lists of its products. */
export interface ProductRange {
  readonly slug: string;
  readonly name: string;
  readonly department: string;
  readonly code: string;
  readonly nouns: readonly string[];
  /** Base prices, whole major units. */
  readonly prices: readonly [low: number, high: number];
  /** Empty when products have no variants. */
  readonly axes: readonly VariantAxis[];
  readonly claims: readonly string[];
  readonly specifications: readonly (readonly [name: string, values: readonly string[]])[];
}

/** Takes positional arguments, so that the table in `demo-data.ts` stays a table. */
export const range = (
  department: string,
  [slug, name, code]: readonly [string, string, string],
  prices: readonly [number, number],
  axes: readonly VariantAxis[],
  nouns: string,
  claims: string,
  specifications: Readonly<Record<string, string>>,
): ProductRange => ({
  department,
  slug,
  name,
  code,
  prices,
  axes,
  nouns: list(nouns),
  claims: list(claims),
  specifications: Object.entries(specifications).map(([key, values]) => [key, list(values)]),
});
