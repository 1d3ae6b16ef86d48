import { StoreRepository, type StoreStatus, type StoreSummary } from '@app/application';
import { NotFound } from '@app/domain';
import type { Command } from 'commander';
import { withApplication } from '../database.js';
import { currency, displayName, subdomain } from '../option-values.js';
import { printJson } from '../output.js';

interface CreateOptions {
  readonly subdomain: string;
  readonly name: string;
  readonly currency: string;
}

export function addStores(program: Command): void {
  const stores = program.command('stores').description('create, list, activate and deactivate stores');

  stores
    .command('create')
    .description('create a store')
    .requiredOption('--subdomain <S>', 'unique name, part of its URL', subdomain)
    .requiredOption('--name <N>', 'display name', displayName)
    .requiredOption('--currency <C>', 'ISO 4217 code of all prices of the store', currency)
    .addHelpText('after', '\nExample:\n  stores create --subdomain acme --name "Acme" --currency USD')
    .action((options: CreateOptions) =>
      withApplication(async (app) => {
        const { subdomain, name, currency } = options;
        printJson(storeJson(await app.get(StoreRepository).create({ subdomain, name, currency })));
      }),
    );

  stores
    .command('list')
    .description('list all stores')
    .action(() =>
      withApplication(async (app) => {
        printJson((await app.get(StoreRepository).list()).map(storeJson));
      }),
    );

  addStatusChange(stores, 'activate', 'ACTIVE', 'accept the keys of a store again');
  addStatusChange(stores, 'deactivate', 'INACTIVE', 'refuse all keys of a store, from the next request on');
}

function addStatusChange(stores: Command, verb: string, status: StoreStatus, description: string): void {
  stores
    .command(verb)
    .description(description)
    .argument('<subdomain>', 'the store', subdomain)
    .action((name: string) =>
      withApplication(async (app) => {
        const store = await app.get(StoreRepository).setStatus(name, status);
        if (!store) throw new NotFound(`Store ${name}`);
        printJson(storeJson(store));
      }),
    );
}

function storeJson({ id, subdomain, name, currency, status }: StoreSummary) {
  return { id, subdomain, name, currency, status };
}
