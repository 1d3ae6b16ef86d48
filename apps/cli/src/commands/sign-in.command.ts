import { SignInService } from '@app/application';
import { signInLink } from '@app/infrastructure';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { withApplication } from '../database.js';
import { print, say } from '../output.js';

const HELP = `Works without mail and without an identity provider. Anyone who has the link can use it: send it securely.
It begins with PUBLIC_URL, or with the address of this machine and PORT.

Example:
  people sign-in ada@shop.example`;

export function addSignIn(people: Command): void {
  addCommand(people, 'sign-in', 'print a one-time sign-in link that is valid for 15 minutes', HELP)
    .argument('<email>', 'e-mail of the person')
    .action((email: string) =>
      withApplication(
        async (app, config) => {
          const { token, expiresAt, candidates } = await app.get(SignInService).makeLink(email);
          say('The link works once and expires in 15 minutes.');
          const stores = candidates.map(({ store }) => store.subdomain);
          print({ link: signInLink(config, token), expires_at: expiresAt, stores });
        },
        { settings: ['PUBLIC_URL', 'PORT'] },
      ),
    );
}
