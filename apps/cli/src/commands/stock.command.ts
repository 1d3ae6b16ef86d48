import { StockAdministration, withMaintenanceConnection } from '@app/infrastructure';
import type { Command } from 'commander';
import { withDatabase } from '../database.js';
import { CommandFailed } from '../failures.js';
import { binPlace, stockQuantity, subdomain } from '../option-values.js';
import { printJson, say } from '../output.js';

interface SetOptions {
  readonly store: string;
  readonly product: string;
  readonly variant?: string;
  readonly bin: string;
  readonly quantity: number;
}

export function addStock(program: Command): void {
  const stock = program.command('stock').description('set the stock of a bin, and verify all of it');

  stock
    .command('set')
    .description('bring a bin to a quantity; the difference is a movement in the ledger')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .requiredOption('--product <SLUG>', 'the product')
    .option('--variant <SKU>', 'the variant of it; without, stock at product level')
    .requiredOption('--bin <W/B>', 'warehouse and bin', binPlace)
    .requiredOption('--quantity <N>', 'how many units there are to be', stockQuantity)
    .addHelpText(
      'after',
      '\nExample:\n  stock set --store acme --product runner --variant R-1-42 --bin MAIN/A-1 --quantity 7',
    )
    .action(({ variant, quantity, ...where }: SetOptions) =>
      withDatabase(async ({ url }) => {
        const place = { ...where, variant: variant ?? null };
        const previous = await withMaintenanceConnection(url, (dataSource) =>
          new StockAdministration(dataSource).set(place, quantity),
        );
        printJson({ ...place, quantity, previous_quantity: previous });
      }),
    );

  stock
    .command('verify')
    .description('prove that every bin holds its opening stock plus and minus all movements of the ledger')
    .option('--store <S>', 'only of this store', subdomain)
    .action(({ store }: { store?: string }) =>
      withDatabase(async ({ url }) => {
        const result = await withMaintenanceConnection(url, (dataSource) =>
          new StockAdministration(dataSource).verify(store ?? null),
        );
        const { checked, differences } = result;
        printJson({ checked, differences });
        if (differences.length > 0)
          throw new CommandFailed(`${differences.length} of ${checked} bins differ from the ledger.`);
        say(`All ${checked} bins agree with the ledger.`);
      }),
    );
}
