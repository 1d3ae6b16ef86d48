import { DataCipher } from '@app/infrastructure';
import { type BundleLine, type ImportOptions, type ImportReport, withBundleImporter } from '@app/bundles';
import type { TestDatabase } from './test-database.js';

export const cipher = new DataCipher([Buffer.alloc(32, 7)]);

const LEDGER = `
  SELECT kind, stock_movements.quantity FROM stock_movements JOIN stores ON stores.id = stock_movements.store_id
  WHERE subdomain = $1 ORDER BY stock_movements.id`;

export function bundleImports(database: () => TestDatabase) {
  return {
    importLines: (...lines: BundleLine[]): Promise<ImportReport> =>
      withBundleImporter(database().url, cipher, (importer) => importer.importObjects(lines)),

    importText: (text: string, options?: ImportOptions): Promise<ImportReport> =>
      withBundleImporter(database().url, cipher, (importer) => importer.importText(bytesOf(text), options)),

    count: async (table: string, store: string): Promise<number> => {
      const [row] = await database().query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${table} JOIN stores ON stores.id = ${table}.store_id WHERE subdomain = $1`,
        [store],
      );
      return row?.count ?? 0;
    },

    ledger: (store: string) => database().query<{ kind: string; quantity: number }>(LEDGER, [store]),
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}
