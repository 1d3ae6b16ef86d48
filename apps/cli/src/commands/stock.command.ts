import {
  ChangeStock,
  decodeCursor,
  StockLedger,
  VerifyStock,
  type StockLine,
  type StockLineResult,
} from '@app/application';
import { COUNT_BASES, NotFound, type CountBasis, type StockWrite } from '@app/domain';
import { operator } from '@app/infrastructure';
import { Option, type Command } from 'commander';
import { withApplication } from '../database.js';
import { CommandFailed } from '../failures.js';
import { findStore } from '../find-store.js';
import { binPlace, expectedQuantity, oneLine, stockQuantity, subdomain, unitDifference } from '../option-values.js';
import { printJson, say } from '../output.js';

interface PlaceOptions {
  readonly store: string;
  readonly product: string;
  readonly variant?: string;
  readonly bin: string;
  readonly reason?: string;
}

interface CountOptions extends PlaceOptions {
  readonly counted: number;
  readonly asOf: string;
  readonly basis: CountBasis;
}

export function addStock(program: Command): void {
  const stock = program.command('stock').description('change the stock of a bin, and verify the stock of all bins');

  addChange(stock, 'adjust', 'add units to a bin, or remove them')
    .requiredOption('--by <N>', 'units that came in, or with a minus are gone', unitDifference)
    .addHelpText('after', example('stock adjust', '--by -2 --reason broken'))
    .action(({ by, ...place }: PlaceOptions & { by: number }) => change(place, { kind: 'adjust', by }));

  addChange(stock, 'set', 'set the quantity of a bin, if it holds what you expect')
    .requiredOption('--quantity <N>', 'units in the bin from now on', stockQuantity)
    .requiredOption('--expected <N>', 'units that you take the bin to hold; "any" overwrites sales', expectedQuantity)
    .addHelpText('after', example('stock set', '--quantity 7 --expected 5'))
    .action(({ quantity: to, expected, ...place }: PlaceOptions & { quantity: number; expected: number | 'any' }) =>
      change(place, { kind: 'set', to, expected: expected === 'any' ? null : expected }),
    );

  addChange(stock, 'count', 'report what was counted in a bin as of a cursor of the feed, while the shop sells on')
    .requiredOption('--counted <N>', 'units that were counted', stockQuantity)
    .requiredOption('--as-of <CURSOR>', 'of `feed cursor`, or of a reader of the feed, from before the count')
    .addOption(
      new Option('--basis <B>', 'whether the count left out what is sold, or is all that lay on the shelf')
        .choices(COUNT_BASES)
        .makeOptionMandatory(),
    )
    .addHelpText('after', example('stock count', '--counted 12 --as-of "$CURSOR" --basis on_hand'))
    .action(({ counted, asOf, basis, ...place }: CountOptions) =>
      change(place, { kind: 'count', counted, basis }, asOf),
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

function addChange(stock: Command, name: string, description: string): Command {
  return stock
    .command(name)
    .description(`${description}; the ledger records it`)
    .requiredOption('--store <S>', 'subdomain of the store', subdomain)
    .requiredOption('--product <SLUG>', 'the product')
    .option(
      '--variant <SKU>',
      'its variant; without it, stock at product level, which only orders without variant_id take',
    )
    .requiredOption('--bin <W/B>', 'warehouse and bin', binPlace)
    .option('--reason <R>', 'for the ledger', oneLine(500));
}

const example = (command: string, rest: string) =>
  `\nExample:\n  ${command} --store acme --product runner --variant R-1-42 --bin MAIN/A-1 ${rest}`;

function change({ store, reason = '', ...names }: PlaceOptions, write: StockWrite, asOf?: string): Promise<void> {
  return withApplication(async (app) => {
    const { id: storeId } = await findStore(app, store);
    const place = { ...names, variant: names.variant ?? null };
    const line: StockLine = {
      sku: null,
      ...(await app.get(StockLedger).locate(storeId, place).catch(explainPlace)),
      write,
      asOf: asOf === undefined ? null : decodeCursor(asOf, { storeId, mode: 'live' }),
    };
    const { lines } = await app.get(ChangeStock).execute({
      ...{ storeId, actor: operator(), lines: [line], reference: null, reason, idempotency: null },
      ...{ isAtomic: false, createsBins: false },
    });
    const [result] = lines as [StockLineResult];
    if (result.code !== null) throw new CommandFailed(`${result.error} (${result.code}).`);
    const { before, after, short } = result;
    printJson({ store, ...place, quantity: after, previous_quantity: before, ...(asOf !== undefined && { short }) });
  });
}

/** No command of its own creates a warehouse or a bin. */
function explainPlace(error: unknown): never {
  const isPlace = error instanceof NotFound && /^(Warehouse|Bin) /.test(error.message);
  if (!isPlace) throw error;
  throw new CommandFailed(`${error.message}\n\`import\` creates warehouses and bins: docs/store-bundle.md.`);
}
