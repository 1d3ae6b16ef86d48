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
import { atLine, Invalid, NotSold } from './invalid.js';
import { slugOf } from './slugs.js';
import { COLUMN_OF, plainHeading } from './woocommerce-headings.js';

/**
 * The product export of WooCommerce: one row per product and per variation. A variation names its parent by SKU or as
 * `id:` and the id, and need not stand next to it.
 */
export const wooCommerce: CatalogFormat = {
  columnOf: (header) => {
    const heading = plainHeading(header);
    const number = /\d{1,3}/.exec(heading)?.[0];
    const column = COLUMN_OF.get(heading) ?? (number && COLUMN_OF.get(heading.replace(number, '#')));
    return column?.replace('#', String(Number(number))) ?? null;
  },
  required: { type: 'Type', sku: 'SKU', name: 'Name', price: 'Regular price' },
  // The export puts an apostrophe before text that a spreadsheet would read as a formula, including -1.
  unescape: (text) => (/^'[=+\-@]/.test(text) ? text.slice(1) : text),
  placeOf,
  separate,
  read: readProduct,
};

function placeOf({ type, id, sku, parent }: Cells): ReturnType<CatalogFormat['placeOf']> {
  const [ownId, ownSku] = [id?.trim(), sku?.trim()];
  if (isVariation(type)) {
    const name = parent?.trim();
    if (!name) return { product: null };
    return { product: /^id:\d+$/.test(name) ? name : `sku:${name}` };
  }
  if (!ownId) return { product: ownSku ? `sku:${ownSku}` : null };
  return { product: `id:${ownId}`, ...(ownSku && { alias: `sku:${ownSku}` }) };
}

const kindsOf = (type = '') =>
  type
    .toLowerCase()
    .split(',')
    .map((kind) => kind.trim());
const isVariation = (type?: string) => kindsOf(type?.trim()).includes('variation');

/** The variations belong to the first product. Another product with the same ID or SKU is separate. */
function separate<R extends CatalogRow>(rows: readonly R[]): R[][] {
  const [, ...twins] = rows.filter(({ cells }) => !isVariation(cells.type));
  const apart = new Set(twins);
  return [rows.filter((row) => !apart.has(row)), ...twins.map((twin) => [twin])];
}

function readProduct(rows: readonly CatalogRow[], context: ReadingContext): CatalogProduct {
  const own = rows.find(({ cells }) => !isVariation(cells.type));
  if (!own) throw new Invalid('Parent is not a product of this file');
  const { cells, line } = own;
  assertSold(cells);
  if (!cells.name) throw new Invalid('Name is missing');
  const variants = rows.flatMap((row) => (row === own ? [] : readVariation(row, context)));
  const price = priceOf(own, variants, context);
  const { columns, noted } = context;
  return {
    line,
    ...identityOf(cells, cells.name.trim()),
    name: cells.name.trim(),
    price,
    variants,
    quantity: variants.length > 0 ? null : quantityOf(own, context),
    ...((columns.has('description') || columns.has('summary')) && {
      description: cells.description ?? cells.summary ?? '',
    }),
    ...(columns.has('brands') && { brand: pathsOf(cells.brands)[0]?.at(-1) ?? '' }),
    ...(columns.has('categories') && { categories: pathsOf(cells.categories) }),
    ...(columns.has('images') && {
      images: pictures(
        rows.flatMap((row) => listed(row.cells.images).map((url) => ({ url }))),
        (reason) => noted(line, reason),
      ),
    }),
    ...(columns.has('attribute1name') && { specifications: specificationsOf(cells, variants) }),
    ...(columns.has('published') && { status: statusOf(cells) }),
    ...(columns.has('featured') && { featured: isYes(cells.featured) }),
  };
}

/**
 * Derives the slug, which the export lacks, from what identifies the product and survives renaming: its SKU. IDs belong
 * to one shop; without a SKU, the name distinguishes the products of two shops.
 */
function identityOf({ id, sku }: Cells, name: string) {
  const [ownId = '', ownSku = ''] = [id?.trim(), sku?.trim()];
  if (!ownId && !ownSku) throw new Invalid('SKU and ID are missing: nothing distinguishes it from others of its name');
  return {
    slug: ownSku ? slugOf(ownSku) : `${slugOf(name)}-${slugOf(ownId)}`,
    sku: ownSku,
    unique: { ...(ownSku && { SKU: ownSku }), ...(ownId && { ID: ownId }) },
  };
}

function assertSold({ type }: Cells): void {
  const kinds = kindsOf(type?.trim());
  if (kinds.includes('grouped'))
    throw new NotSold('a grouped product only shows others, which are products themselves');
  if (kinds.includes('external')) throw new NotSold('an external product is sold somewhere else');
  if (!kinds.includes('simple') && !kinds.includes('variable')) {
    throw new NotSold('products of this type cannot be sold here; simple and variable ones can');
  }
}

/** Returns no variation when the price is missing, because the shop does not sell it either. */
function readVariation(row: CatalogRow, context: ReadingContext): CatalogVariant[] {
  const { line, cells } = row;
  return atLine(line, () => {
    const price = ownPrice(cells, context);
    if (price === null) {
      context.noted(line, 'a variation without a price is skipped');
      return [];
    }
    reportFinePrice(price, (reason) => context.noted(line, reason));
    const attributes = optionsByName(
      attributesOf(cells).flatMap(({ name, value }) => (value ? [[name, value] as const] : [])),
    );
    const [sku, quantity] = [cells.sku?.trim() ?? '', quantityOf(row, context)];
    return [{ line, sku, price, attributes, active: (cells.published ?? '1').trim() === '1', quantity }];
  });
}

function quantityOf({ line, cells }: CatalogRow, { noted }: ReadingContext): number | null {
  // A variation that shares its parent's stock says "parent".
  const given = cells.quantity?.trim() === 'parent' ? undefined : cells.quantity;
  return readQuantity(given, 'Stock', (reason) => noted(line, reason));
}

function priceOf({ line, cells }: CatalogRow, variants: readonly CatalogVariant[], context: ReadingContext): string {
  const sold = variants.some(({ active }) => active) ? variants.filter(({ active }) => active) : variants;
  const own = ownPrice(cells, context);
  const prices = sold.map(({ price }) => price);
  if (prices.length > 0) return lowestPrice(prices);
  if (own === null) throw new NotSold('it has no price');
  reportFinePrice(own, (reason) => context.noted(line, reason));
  return own;
}

/** Returns the price that a buyer pays now: the sale price during the sale, otherwise the regular one. */
function ownPrice({ price, salePrice, saleStarts, saleEnds }: Cells, { now }: ReadingContext): string | null {
  const regular = price ? readPrice(price, 'Regular price') : null;
  if (!salePrice) return regular;
  const sale = readPrice(salePrice, 'Sale price');
  const starts = saleStarts ? dayOf(saleStarts, 'Date sale price starts') : -Infinity;
  // A day without a time includes the whole day.
  const ends = saleEnds ? dayOf(saleEnds, 'Date sale price ends') + 86_400_000 : Infinity;
  return starts <= now.getTime() && now.getTime() < ends ? sale : regular;
}

/** Returns the beginning of the day in UTC, because the export does not name the shop's time zone. */
function dayOf(text: string, column: string): number {
  const day = /^(\d{4}-\d{2}-\d{2})(?:[ T].*)?$/.exec(text.trim())?.[1];
  const moment = day ? Date.parse(`${day}T00:00:00Z`) : NaN;
  if (Number.isNaN(moment)) throw new Invalid(`${column} must be a day such as 2026-01-31`);
  return moment;
}

/** Splits a list at its commas. A backslash precedes a comma that belongs to the text. */
function listed(text: string | undefined): string[] {
  const parts = (text ?? '').split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ',').trim());
  return parts.filter((part) => part !== '');
}

const pathsOf = (text: string | undefined) =>
  listed(text)
    .map(pathOf)
    .filter((path) => path.length > 0);

function pathOf(text: string): string[] {
  const names = text.split('>').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

function attributesOf(cells: Cells): { name: string; value: string }[] {
  const numbers = Object.keys(cells).flatMap((column) => /^attribute(\d+)name$/.exec(column)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((number) => {
      const name = cells[`attribute${number}name`]?.trim();
      return name ? [{ name, value: cells[`attribute${number}value`]?.trim() ?? '' }] : [];
    });
}

/** Returns the attributes that are the same for all variants. */
function specificationsOf(cells: Cells, variants: readonly CatalogVariant[]) {
  const chosen = new Set(variants.flatMap(({ attributes }) => Object.keys(attributes)));
  return attributesOf(cells)
    .filter(({ name, value }) => value !== '' && !chosen.has(name))
    .map(({ name, value }) => ({ name, value: listed(value).join(', ') }));
}

/** A product is active when the shop both sells and shows it. */
function statusOf({ published, visibility }: Cells): CatalogProduct['status'] {
  const shown = visibility?.trim().toLowerCase() !== 'hidden';
  return shown && published?.trim() === '1' ? 'ACTIVE' : 'DRAFT';
}
