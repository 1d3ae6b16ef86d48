import { SetStock, VerifyStock } from '@app/application';
import { NotFound } from '@app/domain';
import { operator } from '@app/infrastructure';
import type { Command } from 'commander';
import { withApplication } from '../database.js';
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
  const stock = program.command('stock').description('set the stock of a bin, and verify the stock of all bins');

  stock
    .command('set')
    .description('set the quantity of a bin; the difference is a movement in the ledger')
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .requiredOption('--product <SLUG>', 'the product')
    .option(
      '--variant <SKU>',
      'its variant; without it, stock at product level, which only orders without variant_id take',
    )
    .requiredOption('--bin <W/B>', 'warehouse and bin', binPlace)
    .requiredOption('--quantity <N>', 'units in the bin from now on', stockQuantity)
    .addHelpText(
      'after',
      '\nExample:\n  stock set --store acme --product runner --variant R-1-42 --bin MAIN/A-1 --quantity 7',
    )
    .action(({ variant, quantity, ...where }: SetOptions) =>
      withApplication(async (app) => {
        const place = { ...where, variant: variant ?? null };
        const previous = await app
          .get(SetStock)
          .execute({ ...place, quantity, actor: operator() })
          .catch(explainPlace);
        printJson({ ...place, quantity, previous_quantity: previous });
      }),
    );

  stock
    .command('verify')
    .description('verify that every bin holds the sum of its movements in the ledger')
    .option('--store <S>', 'only of this store', subdomain)
    .action(({ store }: { store?: string }) =>
      withApplication(async (app) => {
        const { checked, differences } = await app.get(VerifyStock).execute(store ?? null);
        printJson({ checked, differences });
        if (differences.length > 0)
          throw new CommandFailed(`${differences.length} of ${checked} bins differ from the ledger.`);
        say(`All ${checked} bins agree with the ledger.`);
      }),
    );
}

/** No command of its own creates a warehouse or a bin. */
function explainPlace(error: unknown): never {
  const isPlace = error instanceof NotFound && /^(Warehouse|Bin) /.test(error.message);
  if (!isPlace) throw error;
  throw new CommandFailed(`${error.message}\n\`import\` creates warehouses and bins: docs/store-bundle.md.`);
}
