import { PeopleService, StoreRepository, type Person } from '@app/application';
import { ROLES, type Role } from '@app/domain';
import { toPersonResponse } from '@app/representations';
import type { INestApplicationContext } from '@nestjs/common';
import { Option, type Command } from 'commander';
import { addCommand, printResult } from '../command.js';
import { addYes, confirm, type YesOption } from '../confirm.js';
import { withApplication } from '../database.js';
import { CommandFailed, EXIT } from '../failures.js';
import { displayName, emailArgument, emailOption, subdomain } from '../option-values.js';
import { print, say } from '../output.js';

interface Options {
  readonly store: string;
  readonly name?: string;
  readonly role?: Role;
}

/** @returns the command group, for further commands. */
export function addPeople(program: Command): Command {
  const people = addCommand(program, 'people', 'manage who can sign in to the dashboard of a store');
  const role = () => new Option('--role <R>', 'role of the person').choices(ROLES);

  addOfStore(people, 'add', 'add a person and send an invitation, which contains no code')
    .requiredOption('--email <E>', 'address that gets the sign-in codes', emailOption)
    .requiredOption('--name <N>', 'display name', displayName)
    .addOption(role().makeOptionMandatory())
    .action(({ store, ...person }: Required<Options> & { readonly email: string }) =>
      withApplication(
        async (app, { publicUrl }) => {
          const { id: storeId } = await app.get(StoreRepository).require(store);
          const added = await app.get(PeopleService).add({ storeId, ...person }, null);
          if (publicUrl === null)
            say('PUBLIC_URL is not set: the invitation does not contain the address of the dashboard.');
          print(inStore(store, added));
        },
        { settings: ['PUBLIC_URL'] },
      ),
    );

  addOfStore(people, 'list', 'list the people of a store, oldest first').action(({ store }: Options) =>
    printResult(async (app) => {
      const { id } = await app.get(StoreRepository).require(store);
      return (await app.get(PeopleService).list(id)).map((person) => inStore(store, person));
    }),
  );

  addOne<Options>(people, 'change', 'change the name or the role of a person', (service, person, { name, role }) => {
    if (name === undefined && role === undefined) throw new CommandFailed('Specify --name or --role.', EXIT.usage);
    return service.change(person, { ...(name && { name }), ...(role && { role }) }, null);
  })
    .option('--name <N>', 'display name', displayName)
    .addOption(role());

  addYes(addOne(people, 'remove', 'remove a person; the sessions end with the next request', remove)).option(
    '--erase-name',
    'also replace the name in the history of the store',
  );
  return people;
}

type RemoveOptions = Options & YesOption & { readonly eraseName?: boolean };

async function remove(service: PeopleService, person: Person, { store, eraseName = false, yes }: RemoveOptions) {
  await confirm(`Remove ${person.name} (${person.role}) from the store ${store}?`, { yes });
  return service.remove(person, eraseName, null);
}

function addOfStore(people: Command, verb: string, description: string): Command {
  return addCommand(people, verb, description).requiredOption('--store <S>', 'subdomain of the store', subdomain);
}

function addOne<Given extends Options>(
  people: Command,
  verb: string,
  description: string,
  work: (service: PeopleService, person: Person, options: Given) => Promise<Person>,
): Command {
  const one = async (app: INestApplicationContext, email: string, options: Given) => {
    const service = app.get(PeopleService);
    return inStore(options.store, await work(service, await service.locate(options.store, email), options));
  };
  return addOfStore(people, verb, description)
    .argument('<email>', 'email of the person, in any letter case', emailArgument)
    .action((email: string, options: Given) => printResult((app) => one(app, email, options)));
}

const inStore = (store: string, person: Person) => ({ store, ...toPersonResponse(person) });
