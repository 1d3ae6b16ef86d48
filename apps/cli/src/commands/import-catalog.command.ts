import { dataCipher } from '@app/infrastructure';
import { BundleLineError, CATALOG_FORMATS, type CatalogFormatName, ImportStopped, importCatalog } from '@app/bundles';
import { Option, type Command } from 'commander';
import { catalogSummary } from '../catalog-summary.js';
import { CommandFailed, sentence } from '../failures.js';
import { binPlace, encodingName, subdomain } from '../option-values.js';
import { printJson, printText } from '../output.js';
import { importFrom, readColumns } from '../source-file.js';

interface Options {
  readonly store: string;
  readonly format: CatalogFormatName;
  readonly bin: string;
  readonly stock: boolean;
  readonly columns?: string;
  readonly encoding?: string;
  readonly dryRun?: true;
  readonly json?: true;
}

const HELP = `
What each column becomes: docs/catalog-import.md
The exit code is 1 when a product was refused; the others are in.

Examples:
  import-catalog --store acme --format shopify --dry-run products_export.csv
  import-catalog --store acme --format woocommerce --no-stock wc-product-export.csv`;

export function addImportCatalog(program: Command): void {
  program
    .command('import-catalog')
    .description('import the product export of another shop: creates new rows, updates existing ones; may be run again')
    .argument('<file>', 'CSV as the shop exports it; - for standard input')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .addOption(new Option('--format <F>', 'the shop it comes from').choices(CATALOG_FORMATS).makeOptionMandatory())
    .option('--bin <W/B>', 'the bin for the quantities of the file; created if missing', binPlace, 'MAIN/CATALOG')
    .option('--no-stock', 'leave the stock as it is')
    .option('--columns <FILE>', 'maps columns with other headings: JSON, {"heading of the file": "English heading"}')
    .option(
      '--encoding <E>',
      'of a file that is not UTF-8 and has no byte order mark: windows-1252, utf-16le …',
      encodingName,
    )
    .option('--dry-run', 'report what an import would do, and write nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((file: string, options: Options) => importFile(file, options));
}

async function importFile(file: string, options: Options): Promise<void> {
  const { store, format, bin, stock, columns, encoding, dryRun = false, json } = options;
  const catalog = { store, format, bin: stock ? bin : null, dryRun, ...(encoding !== undefined && { encoding }) };
  const renamed = columns === undefined ? {} : readColumns(columns);
  const report = await importFrom(
    file,
    ({ config, url, source, signal, onBytes: onProgress }) =>
      importCatalog(url, dataCipher(config), source, { ...catalog, columns: renamed, signal, onProgress }),
    explain,
  );
  if (json) printJson(report);
  else printText(catalogSummary(report));
  if (report.refused > 0) {
    const refused = report.refused === 1 ? '1 product was refused' : `${report.refused} products were refused`;
    throw new CommandFailed(`${refused}: see the lines above.`);
  }
}

function explain(error: unknown, exitCode: number | null): unknown {
  const isPartial = error instanceof ImportStopped;
  const kept = isPartial ? 'Some products may be in, each of them whole.' : 'Nothing was kept.';
  const again = `${kept} Run the import again to complete it.`;
  if (exitCode !== null) return new CommandFailed(`Interrupted. ${again}`, exitCode);
  if (isPartial) return new CommandFailed(`${sentence(error.reason)}\n${again}`);
  return error instanceof BundleLineError ? new CommandFailed(`${error.message}\n${kept}`) : error;
}
