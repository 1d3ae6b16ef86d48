import { StockService } from '@app/application';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { withApplication } from '../database.js';
import { CommandFailed } from '../failures.js';
import { subdomain } from '../option-values.js';
import { print, say } from '../output.js';

export function addStock(program: Command): void {
  const stock = addCommand(program, 'stock', 'verify the stock of all bins');
  addCommand(stock, 'verify', 'verify that every bin holds the sum of its movements in the ledger')
    .option('--store <S>', 'only this store', subdomain)
    .action(({ store }: { store?: string }) =>
      withApplication(async (app) => {
        const { checked, differences } = await app.get(StockService).verify(store ?? null);
        print({ checked, differences });
        if (differences.length > 0)
          throw new CommandFailed(`${differences.length} of ${checked} bins differ from the ledger.`);
        say(`All ${checked} bins match the ledger.`);
      }),
    );
}
