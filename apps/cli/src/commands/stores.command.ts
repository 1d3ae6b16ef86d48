import { StoreRepository, type StoreStatus, type StoreSummary } from '@app/application';
import { NotFound } from '@app/domain';
import type { Command } from 'commander';
import { addCommand, chosenStores, printResult } from '../command.js';
import { currency, displayName, subdomain } from '../option-values.js';

type NewStore = Pick<StoreSummary, 'subdomain' | 'name' | 'currency'>;

export function addStores(program: Command): void {
  const stores = addCommand(program, 'stores', 'create, list, activate and deactivate stores');
  const help = 'Example:\n  stores create --subdomain acme --name "Acme" --currency USD';

  addCommand(stores, 'create', 'create a store', help)
    .requiredOption('--subdomain <S>', 'unique name, part of its URL', subdomain)
    .requiredOption('--name <N>', 'display name', displayName)
    .requiredOption('--currency <C>', 'ISO 4217 code of all prices of the store', currency)
    .action((store: NewStore) =>
      printResult(async (app) => storeJson(await app.get(StoreRepository).create(store)), { mayCreate: true }),
    );
  addCommand(stores, 'list', 'list all stores').action(() =>
    printResult(async (app) => (await chosenStores(app)).map(storeJson)),
  );
  addStatusChange(stores, 'activate', 'ACTIVE', 'accept the keys of a store again');
  addStatusChange(stores, 'deactivate', 'INACTIVE', 'refuse all keys of a store, from the next request on');
}

function addStatusChange(stores: Command, verb: string, status: StoreStatus, description: string): void {
  addCommand(stores, verb, description)
    .argument('<subdomain>', 'the store', subdomain)
    .action((name: string) =>
      printResult(async (app) => {
        const store = await app.get(StoreRepository).setStatus(name, status);
        if (!store) throw new NotFound(`Store ${name}`);
        return storeJson(store);
      }),
    );
}

const storeJson = ({ createdAt: _, ...shown }: StoreSummary) => shown;
