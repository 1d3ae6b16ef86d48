import type {
  BrandLine,
  BundleImage,
  BundleSpecification,
  BundleVariant,
  CategoryLine,
  ProductLine,
} from '@app/bundles';
import { BRANDS, CLOSINGS, DEPARTMENTS, RANGES, SERIES } from './demo-data.js';
import type { OptionValue, ProductRange, VariantAxis } from './product-range.js';
import type { SeededRandom } from './seeded-random.js';

const PRODUCTS_PER_RANGE = 20;
const DAY_MS = 86_400_000;
const IMAGES = 'https://images.example.com/larkmoor';

/** A possible item of a past order: a product without variants, or one active variant. */
export interface SellableItem {
  readonly product: string;
  readonly variant: string | null;
  readonly sku: string;
  readonly name: string;
  readonly unitPriceCents: number;
}

/** A product line together with the facts that orders need. */
export interface DemoProduct {
  readonly line: ProductLine;
  readonly createdAt: Date;
  readonly sellable: readonly SellableItem[];
}

/** The brands; the last is inactive. */
export function demoBrands(store: string): BrandLine[] {
  return BRANDS.map(([name, , description], index) => ({
    kind: 'brand',
    store,
    slug: slugOf(name),
    name,
    logo: `${IMAGES}/brands/${slugOf(name)}.png`,
    description,
    active: index < BRANDS.length - 1,
  }));
}

/** The category tree, parents first; the last department is inactive. */
export function demoCategories(store: string): CategoryLine[] {
  const category = (slug: string, name: string, description: string, order: number) => ({
    kind: 'category' as const,
    store,
    slug,
    name,
    image: `${IMAGES}/categories/${slug}.jpg`,
    description,
    order,
  });
  return [
    ...DEPARTMENTS.map(([slug, name, description], index) => ({
      ...category(slug, name, description, index + 1),
      active: index < DEPARTMENTS.length - 1,
    })),
    ...RANGES.map(({ slug, name, department }, index) => ({
      ...category(slug, name, `${name} from makers we know.`, index + 1),
      parent: department,
      active: true,
    })),
  ];
}

/** The products of all ranges, an equal number per range. */
export function demoProducts(store: string, now: Date, random: SeededRandom): DemoProduct[] {
  return RANGES.flatMap((range) => {
    const names = range.nouns.flatMap((noun) => SERIES.map((series) => `${series} ${noun}`));
    return random
      .sample(names, PRODUCTS_PER_RANGE)
      .map((name, index) => demoProduct(store, range, name, index + 1, now, random.fork()));
  });
}

function demoProduct(
  store: string,
  range: ProductRange,
  name: string,
  number: number,
  now: Date,
  random: SeededRandom,
): DemoProduct {
  const slug = slugOf(name);
  const sku = `LKM-${range.code}-${String(number).padStart(3, '0')}`;
  const priceCents = random.integer(...range.prices) * 100 + random.pick([0, 50, 90, 95]);
  const status = random.chance(91) ? 'ACTIVE' : random.pick(['DRAFT', 'ARCHIVED'] as const);
  // 11 of 15 ranges have axes; with 82 % of their products that makes about 60 % with variants.
  const options = range.axes.length > 0 && random.chance(82) ? combinations(range.axes, random) : [];
  const variants = options.map((values) => variantOf(sku, priceCents, range.axes, values, random));
  const createdAt = new Date(now.getTime() - random.integer(5 * DAY_MS, 900 * DAY_MS));

  const line: ProductLine = {
    kind: 'product',
    store,
    slug,
    sku,
    name,
    price: decimalText(priceCents),
    status,
    featured: random.chance(8),
    description: `The ${name} ${random.pick(range.claims)}. ${random.pick(CLOSINGS)}`,
    brand: brandOf(range, random),
    categories: categoriesOf(range, random),
    images: imagesOf(slug, name, random),
    specifications: range.specifications.map(([key, values]): BundleSpecification => ({
      name: key,
      value: random.pick(values),
    })),
    variants: variants.map(({ variant }) => variant),
    created_at: createdAt.toISOString(),
  };
  return { line, createdAt, sellable: sellableItems(line, priceCents, variants) };
}

interface PricedVariant {
  readonly variant: BundleVariant;
  readonly priceCents: number;
}

function variantOf(
  productSku: string,
  basePriceCents: number,
  axes: readonly VariantAxis[],
  values: readonly OptionValue[],
  random: SeededRandom,
): PricedVariant {
  const priceCents = values.reduce((sum, [, , surcharge]) => sum + surcharge, basePriceCents);
  const variant: BundleVariant = {
    sku: [productSku, ...values.map(([, code]) => code)].join('-'),
    name: values.map(([label]) => label).join(' / '),
    price: decimalText(priceCents),
    attributes: Object.fromEntries(axes.map(({ attribute }, index) => [attribute, values[index]?.[0] ?? ''])),
    status: random.chance(97) ? 'ACTIVE' : 'ARCHIVED',
  };
  return { variant, priceCents };
}

/** Two to eight combinations: up to four values of the first axis, times one or two of the second. */
function combinations(axes: readonly VariantAxis[], random: SeededRandom): OptionValue[][] {
  const [first, second] = axes;
  if (first === undefined) return [];
  const values = chosenValues(first, random.integer(2, 4), random);
  if (second === undefined) return values.map((value) => [value]);
  const others = chosenValues(second, random.integer(1, 2), random);
  return values.flatMap((value) => others.map((other) => [value, other]));
}

/** Picks adjacent sizes but arbitrary colors, as a real shop stocks them. */
function chosenValues({ values, spread }: VariantAxis, count: number, random: SeededRandom): readonly OptionValue[] {
  if (!spread) return random.sample(values, count);
  const start = random.integer(0, Math.max(0, values.length - count));
  return values.slice(start, start + count);
}

function sellableItems(
  { slug, sku = '', name }: ProductLine,
  priceCents: number,
  variants: readonly PricedVariant[],
): SellableItem[] {
  if (variants.length === 0) return [{ product: slug, variant: null, sku, name, unitPriceCents: priceCents }];
  return variants
    .filter(({ variant }) => variant.status === 'ACTIVE')
    .map(({ variant, priceCents: unitPriceCents }) => ({
      product: slug,
      variant: variant.sku,
      sku: variant.sku,
      name,
      unitPriceCents,
    }));
}

/** A brand that makes this range; one product in twenty is the shop's own and has no brand. */
function brandOf({ slug }: ProductRange, random: SeededRandom): string | null {
  const [name] = random.pick(BRANDS.filter(([, ranges]) => ranges.split('|').includes(slug)));
  return random.chance(95) ? slugOf(name) : null;
}

function categoriesOf({ slug, department }: ProductRange, random: SeededRandom): string[] {
  const categories = [slug];
  if (random.chance(25)) categories.push(department);
  if (random.chance(5)) categories.push('winter-clearance');
  return categories;
}

function imagesOf(slug: string, name: string, random: SeededRandom): BundleImage[] {
  return ['front', 'side', 'detail', 'in use']
    .slice(0, random.integer(1, 4))
    .map((view, index) => ({ url: `${IMAGES}/products/${slug}-${index + 1}.jpg`, alt: `${name}, ${view}` }));
}

/** Cents as decimal text with two decimals. */
function decimalText(cents: number): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
