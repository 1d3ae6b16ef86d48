import {
  MoveRefused,
  StoreMoves,
  StoreRepository,
  type MoveProgress,
  type StoreStatus,
  type StoreSummary,
} from '@app/application';
import { NotFound } from '@app/domain';
import { Option, type Command } from 'commander';
import { addCommand, chosenStores, printResult } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { CommandFailed } from '../failures.js';
import { say } from '../output.js';
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
  addMove(stores);
}

interface MoveOptions {
  readonly to: string;
  readonly dryRun?: boolean;
  readonly abort?: boolean;
}

function addMove(stores: Command): void {
  addCommand(stores, 'move', 'move a live store to another PostgreSQL cluster', 'Step by step: docs/scaling.md')
    .argument('<subdomain>', 'the store', subdomain)
    .requiredOption('--to <URL>', 'the database of the other cluster')
    .addOption(new Option('--dry-run', 'only check whether the store can be moved').conflicts('abort'))
    .option('--abort', 'abort a move that has not opened the target')
    .action((name: string, { to, dryRun, abort }: MoveOptions) =>
      printResult(async (app) => {
        const moves = app.get(StoreMoves);
        if (dryRun) return checked(name, await moves.check(name, to).catch(refuse));
        if (abort) {
          await moves.abort(name, to).catch(refuse);
          return { subdomain: name, aborted: true };
        }
        const onProgress = ({ step, detail }: MoveProgress) => say(detail === '' ? step : `${step}: ${detail}`);
        const moved = await moves.move({ subdomain: name, target: to, onProgress }).catch(refuse);
        const { differences } = moved;
        if (differences.length > 0)
          throw new CommandFailed(`The rows of ${differences.join(', ')} differ: keep the copy at the source.`);
        return moved;
      }),
    );
  addYes(addCommand(stores, 'forget', 'delete the rows of a store that has moved away'))
    .argument('<subdomain>', 'the store', subdomain)
    .action((name: string, options: YesOption) =>
      printResult(async (app) => {
        await confirm(`Delete all rows of the store ${name} from this database?`, options);
        return { subdomain: name, rows: await app.get(StoreMoves).forget(name).catch(refuse) };
      }),
    );
}

function checked(name: string, faults: readonly string[]): object {
  if (faults.length > 0) throw new CommandFailed(faults.join('\n'));
  return { subdomain: name, movable: true };
}

function refuse(error: unknown): never {
  throw error instanceof MoveRefused ? new CommandFailed(error.message) : error;
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
