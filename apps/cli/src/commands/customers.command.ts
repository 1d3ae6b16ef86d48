import { open } from 'node:fs/promises';
import path from 'node:path';
import { CustomersService, type PersonalRecord } from '@app/application';
import { OrdersOpen } from '@app/domain';
import { originOfRequest, visible, writeWholeFile } from '@app/infrastructure';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { withApplication } from '../database.js';
import { CommandFailed } from '../failures.js';
import { explainFile } from '../file-work.js';
import { emailOfOrder, subdomain } from '../option-values.js';
import { print, say } from '../output.js';

const ERASE_HELP = `An order is open until it is delivered and paid, or cancelled or returned with no refund due. Backups and exported
files still hold the data: docs/personal-data.md

Example:
  customers erase ada@example.com --store acme`;

interface Options extends YesOption {
  readonly store: string;
  readonly output?: string;
  readonly force?: boolean;
}

interface Head {
  readonly store: string;
}

type Orders = AsyncIterable<PersonalRecord>;

const MAX_PRINTED = 1_000;

export function addCustomers(program: Command): void {
  const customers = addCommand(program, 'customers', 'export and erase the personal data of customers');
  const help = 'Example:\n  customers export ada@example.com --store acme --output ada.json';

  addPersonCommand(customers, 'export', 'print the data that a store has about a person, including guest orders', help)
    .option('--output <FILE>', 'write to a new file that only its owner can read')
    .action(exportData);
  const what = 'erase the personal data of a person; amounts, lines and stock are kept';
  addYes(addPersonCommand(customers, 'erase', what, ERASE_HELP))
    .option('--force', 'erase even if orders are open')
    .action(erase);
}

function addPersonCommand(customers: Command, verb: string, description: string, help: string): Command {
  return addCommand(customers, verb, description, help)
    .argument('<email>', 'email of the customer or guest, in any letter case', emailOfOrder)
    .requiredOption('--store <S>', 'subdomain of the store', subdomain);
}

async function exportData(email: string, { store, output }: Options): Promise<void> {
  await withApplication(async (app) => {
    await app.get(CustomersService).collect(store, email, originOfRequest(null), async (found, orders) => {
      const { customer, contacts, member: person, orderCount } = found;
      const { secrets: secrets_held, blocked, takenAt: taken_at } = found;
      if (!customer && !person && contacts.length + orderCount === 0)
        throw new CommandFailed(`Store ${store} has no data about this person.`);
      const head = {
        store,
        taken_at,
        customer: customer && line('customer', store)(customer),
        contacts,
        secrets_held,
        blocked,
        person,
      };
      if (output === undefined) return printAll(head, orders, orderCount);
      const file = path.resolve(output);
      await writeWholeFile(file, (draft) => writeOrders(draft, head, orders)).catch(explainFile);
      say(`Wrote the data of the person to ${file}.`);
      print({ file, store, taken_at, customers: customer ? 1 : 0, orders: orderCount });
    });
  });
}

const line = (kind: string, store: string) => (record: PersonalRecord) => ({ kind, store, ...record });

async function printAll(head: Head, collected: Orders, orderCount: number): Promise<void> {
  if (orderCount > MAX_PRINTED)
    throw new CommandFailed(`The person has ${orderCount} orders: write them to a file with --output.`);
  const orders: object[] = [];
  for await (const order of collected) orders.push(line('order', head.store)(order));
  print({ ...head, orders });
}

/** Writes one JSON object, and keeps only one order in memory. */
async function writeOrders(draft: string, head: Head, orders: Orders): Promise<void> {
  const file = await open(draft, 'wx', 0o600);
  try {
    const write = (text: string) => file.appendFile(visible(text));
    await write(`${JSON.stringify(head, null, 2).slice(0, -2)},\n  "orders": [`);
    let separator = '\n    ';
    for await (const order of orders) {
      await write(separator + JSON.stringify(line('order', head.store)(order)));
      separator = ',\n    ';
    }
    await write('\n  ]\n}\n');
    await file.sync();
  } finally {
    await file.close();
  }
}

async function erase(email: string, { store, force = false, yes }: Options): Promise<void> {
  await confirm(`Erase the personal data of ${email} in the store ${store}?`, { yes });
  await withApplication(async (app) => {
    const { customers, contacts, orders, blockedContacts, isMember } = await app
      .get(CustomersService)
      .erase({ store, email, force }, originOfRequest(null))
      .catch(explainOpen);
    if (customers + contacts + orders + blockedContacts === 0)
      say(`Store ${store} has no data about this person to erase.`);
    if (isMember) say('The person may still sign in to the store: `people remove --erase-name` removes them.');
    if (blockedContacts > 0) say("Removed the person from the store's block lists.");
    print({ store, customers, contacts, orders, blocked_contacts: blockedContacts });
  });
}

function explainOpen(error: unknown): never {
  if (!(error instanceof OrdersOpen)) throw error;
  throw new CommandFailed(`${error.message}\nClose them with \`orders set-status\`, or erase with --force.`);
}
