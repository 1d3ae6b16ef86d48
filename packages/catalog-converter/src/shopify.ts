import type { CatalogFormat, CatalogProduct, CatalogRow, CatalogVariant, ReadingContext } from './catalog-format.js';
import {
  lowestPrice,
  reportFinePrice,
  optionsByName,
  pictures,
  readPrice,
  readQuantity,
  isYes,
  type Cells,
} from './cells.js';
import { atLine, Invalid, quoted } from './invalid.js';

// Shopify renamed its columns in 2025; files with either set exist.
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  description: ['body (html)', 'description'],
  vendor: ['vendor'],
  type: ['type'],
  published: ['published', 'published on online store'],
  status: ['status'],
  option1name: ['option1 name'],
  option1value: ['option1 value'],
  option2name: ['option2 name'],
  option2value: ['option2 value'],
  option3name: ['option3 name'],
  option3value: ['option3 value'],
  sku: ['variant sku', 'sku'],
  quantity: ['variant inventory qty', 'inventory quantity'],
  price: ['variant price', 'price'],
  image: ['image src', 'product image url'],
  imagePosition: ['image position'],
  imageAlt: ['image alt text'],
  variantImage: ['variant image', 'variant image url'],
};
const COLUMNS = new Map(Object.entries(HEADERS).flatMap(([column, names]) => names.map((name) => [name, column])));

const STATUSES = { active: 'ACTIVE', draft: 'DRAFT', archived: 'ARCHIVED', unlisted: 'DRAFT' } as const;

/** Shopify's product export: the rows of a product share a handle, and its first row describes it. */
export const shopify: CatalogFormat = {
  columnOf: (header) => COLUMNS.get(header) ?? null,
  required: { handle: 'Handle', title: 'Title', price: 'Variant Price' },
  placeOf: ({ handle }) => ({ product: handle?.trim() ?? null }),
  read: readProduct,
};

function readProduct(rows: readonly CatalogRow[], context: ReadingContext): CatalogProduct {
  const first = rows[0];
  const { cells } = first ?? {};
  if (!first || !cells?.handle) throw new Invalid('Handle is missing');
  if (!cells.title) throw new Invalid('Title is missing on the first row of the product');
  const { columns } = context;
  const sold = rows.filter((row) => row === first || isSold(row.cells));
  const variants = sold.map((row) => readVariant(row, cells, context));
  const single = variants.length === 1 && isDefault(cells) ? variants[0] : undefined;
  assertDifferent(single ? [] : variants);
  return {
    line: first.line,
    slug: cells.handle.trim(),
    name: cells.title.trim(),
    price: lowestPrice(variants.map(({ price }) => price)),
    // Shopify has no SKU for the product itself.
    sku: single?.sku ?? '',
    variants: single ? [] : variants,
    quantity: single?.quantity ?? null,
    ...(columns.has('description') && { description: cells.description ?? '' }),
    ...(columns.has('vendor') && { brand: cells.vendor?.trim() ?? '' }),
    ...(columns.has('type') && { categories: cells.type ? [[cells.type.trim()]] : [] }),
    ...((columns.has('image') || columns.has('variantImage')) && { images: imagesOf(rows, context) }),
    ...((columns.has('status') || columns.has('published')) && { status: statusOf(cells) }),
  };
}

// A row with only an image has no price and no option.
const isSold = ({ price, sku, option1value }: Cells) => Boolean(price ?? sku ?? option1value);

/** Shopify writes a product without options as one option "Title" with the value "Default Title". */
const isDefault = ({ option1value }: Cells) => !option1value || /^default title$/i.test(option1value.trim());

function readVariant({ line, cells }: CatalogRow, first: Cells, { noted }: ReadingContext): CatalogVariant {
  return atLine(line, () => {
    if (!cells.price) throw new Invalid('Variant Price is missing');
    const price = readPrice(cells.price, 'Variant Price');
    reportFinePrice(price, (reason) => noted(line, reason));
    return {
      line,
      sku: cells.sku?.trim() ?? '',
      price,
      attributes: optionsOf(cells, first),
      active: true,
      quantity: readQuantity(cells.quantity, 'Variant Inventory Qty', (reason) => noted(line, reason)),
    };
  });
}

/** Returns options by name; only the first row has the names. */
function optionsOf(cells: Cells, first: Cells): Record<string, string> {
  const pairs = [1, 2, 3].flatMap((n) => {
    const value = cells[`option${n}value`]?.trim();
    return value ? [[first[`option${n}name`]?.trim() || `Option ${n}`, value] as const] : [];
  });
  return optionsByName(pairs);
}

function assertDifferent(variants: readonly CatalogVariant[]): void {
  const seen = new Set<string>();
  for (const { line, attributes } of variants) {
    const options = Object.values(attributes).join(' / ');
    if (options === '') throw new Invalid('Option1 Value is missing on one of several variants', line);
    if (seen.has(options)) throw new Invalid(`the variant ${quoted(options)} is listed twice`, line);
    seen.add(options);
  }
}

function imagesOf(rows: readonly CatalogRow[], { noted }: ReadingContext) {
  const own = rows.flatMap(({ cells }) => (cells.image ? [cells] : []));
  const inOrder = own.toSorted((a, b) => positionOf(a) - positionOf(b));
  const given = [
    ...inOrder.map(({ image = '', imageAlt = '' }) => ({ url: image.trim(), alt: imageAlt.trim() })),
    ...rows.flatMap(({ cells: { variantImage } }) => (variantImage ? [{ url: variantImage.trim(), alt: '' }] : [])),
  ];
  return pictures(given, (reason) => noted(rows[0]?.line ?? 0, reason));
}

const positionOf = ({ imagePosition }: Cells) => Number(imagePosition) || Number.MAX_SAFE_INTEGER;

/** A product is active when the shop both sells and shows it. */
function statusOf({ status, published }: Cells): CatalogProduct['status'] {
  const given = status?.trim().toLowerCase() ?? 'active';
  if (!Object.hasOwn(STATUSES, given)) throw new Invalid('Status must be active, draft, archived or unlisted');
  const own = STATUSES[given as keyof typeof STATUSES];
  return own === 'ACTIVE' && published !== undefined && !isYes(published) ? 'DRAFT' : own;
}
