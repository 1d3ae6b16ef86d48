import { StoreRepository, type StoreSummary } from '@app/application';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { type DatabaseOptions, withApplication } from './database.js';
import { print } from './output.js';

/** @param help the text that is shown after the options. */
export function addCommand(parent: Command, name: string, description: string, help?: string): Command {
  const command = parent.command(name).description(description);
  return help === undefined ? command : command.addHelpText('after', `\n${help}`);
}

export function printResult(
  work: (app: INestApplicationContext) => Promise<object>,
  options?: DatabaseOptions,
): Promise<void> {
  return withApplication(async (app) => print(await work(app)), options);
}

/** Returns the named store, or all stores without a subdomain. @throws NotFound */
export async function chosenStores(app: INestApplicationContext, only?: string): Promise<StoreSummary[]> {
  const stores = app.get(StoreRepository);
  return only === undefined ? stores.list() : [await stores.require(only)];
}

export async function subdomainOf(app: INestApplicationContext, storeId: number): Promise<string> {
  const store = await app.get(StoreRepository).findProfile(storeId);
  return store?.subdomain ?? '';
}
