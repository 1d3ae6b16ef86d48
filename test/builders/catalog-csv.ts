type Cells = Record<string, string>;

/** A file with all columns of the header; cells that a row does not name are empty. */
const csv = (header: string, rows: readonly Cells[]) =>
  [
    header,
    ...rows.map((cells) =>
      header
        .split(',')
        .map((name) => quoted(cells[name] ?? ''))
        .join(','),
    ),
  ].join('\n');

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const SHOPIFY_HEADER =
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,' +
  'Variant SKU,Variant Inventory Qty,Variant Price,Variant Compare At Price,Image Src,Image Position,Variant Image,Status';

/** A product export of Shopify. */
export const shopifyFile = (...rows: Cells[]) => csv(SHOPIFY_HEADER, rows);

/** A Shopify product with the columns that it must have. */
export const aMug = { Handle: 'mug', Title: 'Mug', 'Variant Price': '9.90' };

/** Mugs of 7 brands and 5 categories, with 2 units of each. */
export const manyMugs = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ ...aMug, Handle: `mug-${n}`, Vendor: `Maker ${n % 7}`, Type: `Type ${n % 5}` },
    ...{ 'Variant Inventory Qty': '2' },
  }));

const WOO_HEADER =
  'ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description,' +
  'Date sale price starts,Date sale price ends,Stock,Sale price,Regular price,Categories,Images,Parent,' +
  'Attribute 1 name,Attribute 1 value(s),Attribute 2 name,Attribute 2 value(s),Meta: _x';

/** A product export of WooCommerce. */
export const wooFile = (...rows: Cells[]) => csv(WOO_HEADER, rows);

/** A WooCommerce product with the columns that it must have, and an ID. */
export const aHat = { ID: '7', Type: 'simple', SKU: 'HAT', Name: 'Hat', Published: '1', 'Regular price': '20' };
