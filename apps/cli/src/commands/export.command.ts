import { writeStoreExport, type BundleKind } from '@app/bundles';
import { Option, type Command } from 'commander';
import { addCommand } from '../command.js';
import { withDatabase } from '../database.js';
import { explainFile, untilSignal, withBar } from '../file-work.js';
import { bundleKinds, moment, newFile, subdomain } from '../option-values.js';
import { print, say } from '../output.js';

interface Options {
  readonly store: string;
  readonly since?: Date;
  readonly only?: readonly BundleKind[];
}

const HELP = `The file holds personal data in clear text, and no secrets: docs/store-bundle.md

Examples:
  export --store acme acme.ndjson.gz
  export --store acme --only orders,customers --since 2026-11-01T00:00:00Z november.ndjson`;

export function addExport(program: Command): void {
  addCommand(program, 'export', 'write a store as a bundle, from one snapshot, while the service runs', HELP)
    .argument('<file>', 'a new file that only its owner can read; compressed if its name ends in .gz', newFile)
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .option('--since <TIME>', 'skip products, customers, orders and stock that have not changed since', moment)
    .addOption(onlyOption())
    .action(exportStore);
}

/** The option takes one argument each time, unlike a variadic option, so the file may follow it. */
function onlyOption(): Option {
  const kinds =
    'one or more of stores,warehouses,bins,brands,categories,products,price_lists,list_prices,quantity_rules,customers,orders,stock';
  return Object.assign(new Option('--only <KINDS...>', kinds).argParser(bundleKinds), { variadic: false });
}

async function exportStore(file: string, { store, since, only }: Options): Promise<void> {
  await withDatabase(async ({ url }) => {
    const report = await untilSignal('Interrupted. No export was written.', (signal) =>
      withBar((onProgress) => {
        const options = { signal, onProgress, since: since ?? null, ...(only && { only }) };
        return writeStoreExport(url, store, file, options).catch(explainFile);
      }),
    );
    const { bytes, takenAt: taken_at, lines } = report;
    const total = Object.values(lines).reduce((sum, count) => sum + count, 0);
    say(`Wrote ${total} lines of store ${store} to ${file}.`);
    print({ file, bytes, store, taken_at, since: since?.toISOString() ?? null, lines });
  });
}
