import { NotFound } from '@app/domain';
import type { DataSource, QueryRunner } from 'typeorm';
import { type DataCipher, withMaintenanceConnection } from '@app/infrastructure';
import type { Numbered, Owner } from '../bundle/write/batch.js';
import { BundleImporter } from '../bundle/bundle-importer.js';
import { checkLine } from '../bundle/check/check-line.js';
import type { LineBatch, SizedLine } from '../bundle/read/line-batches.js';
import type { CatalogFormat } from './catalog-format.js';
import { leftBehind } from './left-behind.js';
import { Notes, type CatalogReport } from './catalog-report.js';
import { readCsv } from './csv-records.js';
import { ProductReader, type ProductToWrite } from './read-products.js';
import { ProductSlugs } from './product-slugs.js';
import { SharedLines } from './shared-lines.js';
import { shopify } from './shopify.js';
import { stage, stagedProducts } from './staging.js';
import { wooCommerce } from './woocommerce.js';

const FORMATS = { shopify, woocommerce: wooCommerce } as const satisfies Record<string, CatalogFormat>;
export type CatalogFormatName = keyof typeof FORMATS;
export const CATALOG_FORMATS = Object.keys(FORMATS) as CatalogFormatName[];

export interface CatalogImport {
  /** Subdomain of the store. */
  readonly store: string;
  readonly format: CatalogFormatName;
  /** The bin for the file's quantities, as `WAREHOUSE/BIN`; created if missing. Null leaves stock unchanged. */
  readonly bin: string | null;
  /** Maps headings of the file to the format's English headings, for columns with other names. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Of a file without a byte order mark: a label of the Encoding Standard. UTF-8 by default. */
  readonly encoding?: string;
  /** Runs the whole import and writes nothing. */
  readonly dryRun?: boolean;
  /** Stops the import between two batches. */
  readonly signal?: AbortSignal;
  /** Receives the number of source bytes read so far. */
  readonly onProgress?: (bytes: number) => void;
}

const BATCH_LINES = 1_000;
/** Size of a batch in characters of JSON. */
const BATCH_CHARACTERS = 4_000_000;

/**
 * Imports the product export of another shop. It creates or updates the valid products and notes the others with their
 * lines. One transaction holds a product with its variants, categories and stock.
 *
 * @throws NotFound when the store does not exist, BundleLineError or Error when the file does not have the format; both
 *   before anything is written. ImportStopped when the database fails or `signal` aborts.
 */
export function importCatalog(
  url: string,
  cipher: DataCipher,
  source: AsyncIterable<Uint8Array>,
  options: CatalogImport,
): Promise<CatalogReport> {
  return withMaintenanceConnection(url, async (dataSource) => {
    const runner = dataSource.createQueryRunner();
    try {
      // The temporary tables live as long as this transaction, even behind a pooler that assigns connections per
      // transaction.
      await runner.startTransaction('READ COMMITTED');
      return await importStaged(dataSource, runner, cipher, source, options);
    } finally {
      await runner.rollbackTransaction().catch(() => undefined);
      await runner.release();
    }
  });
}

async function importStaged(
  dataSource: DataSource,
  runner: QueryRunner,
  cipher: DataCipher,
  source: AsyncIterable<Uint8Array>,
  options: CatalogImport,
): Promise<CatalogReport> {
  const { store: subdomain, bin, dryRun = false, signal } = options;
  const format = FORMATS[options.format];
  const store = await findStore(runner, subdomain);
  const records = readCsv(counted(source, options), options.encoding);
  const notes = new Notes();
  const { columns, ignored, rows } = await stage(runner, format, records, notes, options.columns);
  const destination = { store: subdomain, bin };
  const slugs = new ProductSlugs(runner.manager, store.id);
  const { currency } = store;
  const reader = new ProductReader({ format, currency, columns, now: new Date(), destination }, slugs, notes);
  const taken = { products: 0, drafts: 0, variants: 0, images: 0, units: 0, uncounted: 0 };
  const shared = new SharedLines((note) => notes.add(note));
  const places = bin === null ? [] : await missingPlaces(runner, store, bin);

  async function* batches(): AsyncGenerator<LineBatch> {
    let batch: SizedLine[] = [];
    let size = 0;
    for await (const staged of stagedProducts(runner)) {
      const products = await reader.read(staged);
      const all = products.flatMap(({ lines }) => lines);
      const emptied = bin === null ? null : await leftBehind(runner.manager, store, bin, all);
      for (const written of products) {
        count(taken, written);
        size += JSON.stringify(written.lines).length;
        // Also when the file has no quantities: the products it creates can then get a quantity.
        batch.push(
          ...sized([...places.splice(0), ...shared.without(written.lines), ...(emptied?.get(written.slug) ?? [])]),
        );
        // A product is never split: it is written with its stock, or not at all.
        if (batch.length < BATCH_LINES && size < BATCH_CHARACTERS) continue;
        yield { lines: batch, bad: [] };
        batch = [];
        size = 0;
      }
    }
    if (batch.length > 0) yield { lines: batch, bad: [] };
  }

  const importer = new BundleImporter(dataSource, cipher);
  const { counts } = await importer.importBatches(batches(), { dryRun, ...(signal && { signal }) });
  const { warehouse, bin: bins, brand, category, product, stock } = counts;
  return {
    dryRun,
    rows,
    taken,
    ...reader.left,
    counts: { warehouse, bin: bins, brand, category, product, stock },
    ignoredColumns: ignored,
    notes: notes.listed,
    furtherNotes: notes.further,
  };
}

async function findStore(runner: QueryRunner, subdomain: string): Promise<Owner> {
  const sql = '/* catalog.store.find */ SELECT id, subdomain, currency FROM stores WHERE subdomain = $1';
  const [store] = (await runner.query(sql, [subdomain])) as Owner[];
  if (!store) throw new NotFound(`Store ${subdomain}`);
  return store;
}

/** Lines that create the bin, and its warehouse when missing. An existing warehouse or bin keeps its name. */
async function missingPlaces(runner: QueryRunner, store: Owner, bin: string): Promise<Numbered[]> {
  const [warehouse = '', code = ''] = bin.split('/');
  const sql = '/* catalog.warehouse.find */ SELECT name FROM warehouses WHERE store_id = $1 AND code = $2';
  const [known] = (await runner.query(sql, [store.id, warehouse])) as { name: string }[];
  const of = { store: store.subdomain };
  const lines = [
    { kind: 'warehouse', ...of, code: warehouse, name: known?.name ?? warehouse },
    { kind: 'bin', ...of, warehouse, code },
  ];
  return lines.map((line) => ({ number: 1, line: checkLine(line) }));
}

const sized = (lines: readonly Numbered[]): SizedLine[] => lines.map((line) => ({ ...line, bytes: 0 }));

function count(taken: Record<keyof CatalogReport['taken'], number>, { product, lines }: ProductToWrite): void {
  taken.products++;
  if (product.status === 'DRAFT') taken.drafts++;
  taken.variants += product.variants.length;
  taken.images += product.images?.length ?? 0;
  const sellables = product.variants.length > 0 ? product.variants : [product];
  taken.uncounted += sellables.filter(({ quantity }) => quantity === null).length;
  for (const { line } of lines) if (line.kind === 'stock') taken.units += line.quantity;
}

async function* counted(source: AsyncIterable<Uint8Array>, { onProgress }: CatalogImport): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of source) {
    yield chunk;
    onProgress?.((bytes += chunk.length));
  }
}
