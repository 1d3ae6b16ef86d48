import { VERSION } from '@app/infrastructure';
import { Command } from 'commander';
import { addCustomers } from './commands/customers.command.js';
import { addExport } from './commands/export.command.js';
import { addFeed } from './commands/feed.command.js';
import { addImport } from './commands/import.command.js';
import { addKeys } from './commands/keys.command.js';
import { addMigrate } from './commands/migrate.command.js';
import { addOrders } from './commands/orders.command.js';
import { addPeople } from './commands/people.command.js';
import { addSecrets } from './commands/secrets.command.js';
import { addSignIn } from './commands/sign-in.command.js';
import { addStock } from './commands/stock.command.js';
import { addStores } from './commands/stores.command.js';
import { addWebhooks } from './commands/webhooks.command.js';
import { askForJson } from './output.js';
import { printable } from './printable.js';

const HELP = `
Results are on standard output: a table on a terminal, otherwise JSON. Messages are on standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.

The commands use the database of DATABASE_URL, or the embedded database, which they start if it does not run.

Examples:
  npx store-commerce stores create --subdomain acme --name "Acme" --currency USD
  npx store-commerce keys create --store acme
  npx store-commerce import acme.ndjson
  npx catalog-converter shopify --store acme products_export.csv | npx store-commerce import -
  npx store-commerce stock verify`;

/** Parsing throws commander's errors instead of ending the process. */
export function createProgram(): Command {
  const program = new Command('store-commerce');
  program
    .description('Operator commands of the store service')
    .version(VERSION)
    .option('--json', 'print JSON on a terminal too; works with every command')
    .hook('preAction', () => askForJson(program.opts<{ json?: boolean }>().json ?? false))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeErr: (text) => process.stderr.write(printable(text)) })
    .addHelpText('after', HELP)
    .showHelpAfterError('(add --help for usage)')
    .exitOverride();
  addMigrate(program);
  addStores(program);
  addKeys(program);
  addImport(program);
  addExport(program);
  addCustomers(program);
  addSignIn(addPeople(program));
  addStock(program);
  addOrders(program);
  addSecrets(program);
  addFeed(program);
  addWebhooks(program);
  refuseRepeats(program);
  return program;
}

/** Commander keeps only the last value of a repeated option. Options shown with `...` collect their values instead. */
function refuseRepeats(command: Command): void {
  command.commands.forEach(refuseRepeats);
  for (const option of command.options.filter(({ flags }) => !flags.includes('...'))) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given more than once`);
      isGiven = true;
    });
  }
}
