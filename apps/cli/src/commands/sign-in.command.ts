import { SignInService } from '@app/application';
import { signInLink } from '@app/infrastructure';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { withApplication } from '../database.js';
import { printJson, printText, say } from '../output.js';

const HELP = `Works without mail and without an identity provider. The link signs in whoever opens it first: send it over a safe way.
Its address is that of PUBLIC_URL, or else of this machine with PORT.

Example:
  people sign-in ada@shop.example`;

export function addSignIn(people: Command): void {
  addCommand(people, 'sign-in', 'print a link with which a person signs in once, within 15 minutes', HELP)
    .argument('<email>', 'e-mail of the person')
    .option('--json', 'print it as JSON')
    .action((email: string, { json = false }: { json?: boolean }) =>
      withApplication(
        async (app, config) => {
          const { token, expiresAt, candidates } = await app.get(SignInService).makeLink(email);
          const link = signInLink(config, token);
          say(`The link works once, until ${expiresAt.toISOString()}.`);
          const stores = candidates.map(({ store }) => store.subdomain);
          if (json) printJson({ link, expires_at: expiresAt, stores });
          else printText(link);
        },
        ['PUBLIC_URL', 'PORT'],
      ),
    );
}
