import { randomBytes } from 'node:crypto';
import { type BundleLine, type CatalogFormatName, type CatalogImport, importCatalog } from '@app/bundles';
import { bundleImports, bytesOf, cipher } from './bundle-imports.js';
import type { TestDatabase } from './test-database.js';

const PRODUCTS = `
  SELECT p.id, p.slug, p.sku, p.name, p.price::int, p.status, p.featured, p.description, b.slug AS brand,
    jsonb_path_query_array(p.images, '$[*].url') AS images, p.specifications,
    ARRAY(SELECT c.slug FROM product_categories pc JOIN categories c ON c.store_id = pc.store_id AND c.id = pc.category_id
      WHERE pc.store_id = p.store_id AND pc.product_id = p.id ORDER BY c.slug) AS categories
  FROM products p JOIN stores s ON s.id = p.store_id AND s.subdomain = $1
  LEFT JOIN brands b ON b.store_id = p.store_id AND b.id = p.brand_id ORDER BY p.slug`;
const SELLABLES = `
  SELECT p.slug, v.sku, v.name, v.price::int, v.attributes, v.status, stock.quantity
  FROM products p JOIN stores s ON s.id = p.store_id AND s.subdomain = $1
  LEFT JOIN product_variants v ON v.store_id = p.store_id AND v.product_id = p.id
  LEFT JOIN stock ON stock.store_id = p.store_id AND stock.product_id = p.id AND stock.variant_key = coalesce(v.id, 0)
  ORDER BY p.slug, v.position, v.sku`;
const OPTIONS = `
  SELECT v.sku, v.attribute_names, v.attributes FROM product_variants v
  JOIN stores s ON s.id = v.store_id AND s.subdomain = $1 ORDER BY v.position`;
const STORED_UNITS = `
  SELECT sum(stock.quantity)::int AS units FROM stock JOIN stores s ON s.id = stock.store_id AND s.subdomain = $1`;
const MOVEMENTS = `
  SELECT kind, m.quantity FROM stock_movements m JOIN stores s ON s.id = m.store_id AND s.subdomain = $1 ORDER BY m.id`;

const BIN = 'MAIN/CATALOG';
// The pieces cut lines and letters anywhere.
const PIECE_BYTES = 997;

/** Imports catalogs into stores of a database, and reads the imported rows. Subdomains name the stores. */
export function catalogImports(database: () => TestDatabase) {
  const { importLines } = bundleImports(database);
  const importer =
    (format: CatalogFormatName) =>
    (store: string, csv: string | Uint8Array, more: Partial<CatalogImport> = {}) =>
      importCatalog(database().url, cipher, bytesOf(csv, PIECE_BYTES), { store, format, bin: BIN, ...more });

  return {
    importShopify: importer('shopify'),
    importWoo: importer('woocommerce'),

    /** Creates an empty store and returns its subdomain. */
    aStore: async (): Promise<string> => {
      const subdomain = `s${randomBytes(4).toString('hex')}`;
      await importLines({ kind: 'store', subdomain, name: 'Acme', currency: 'USD' });
      return subdomain;
    },

    /** Adds a product without a catalog import. */
    addProduct: (store: string, product: Omit<Extract<BundleLine, { kind: 'product' }>, 'kind' | 'store'>) =>
      importLines({ kind: 'product', store, ...product }),

    /** Sets the units of a product in the bin of the catalog. */
    setStock: (store: string, product: string, quantity: number) =>
      importLines({ kind: 'stock', store, bin: BIN, product, quantity }),

    /** Products by slug. */
    products: (store: string) => database().query<{ slug: string; sku: string; name: string }>(PRODUCTS, [store]),

    /** One row with its stock per variant, or per product without variants, by slug of the product. */
    sellables: (store: string) => database().query<Sellable>(SELLABLES, [store]),

    /** The options of all variants, by position. */
    options: (store: string) => database().query(OPTIONS, [store]),

    /** The units in all bins of the store. */
    storedUnits: async (store: string) => (await database().query<{ units: number }>(STORED_UNITS, [store]))[0]?.units,

    /** The stock movements of a store, oldest first. */
    movements: (store: string) => database().query<{ kind: string; quantity: number }>(MOVEMENTS, [store]),
  };
}

interface Sellable {
  readonly slug: string;
  readonly sku: string;
  readonly status: string;
  readonly quantity: number;
}
