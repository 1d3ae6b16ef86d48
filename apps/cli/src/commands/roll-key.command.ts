import { RollApiKey, StoreRepository } from '@app/application';
import type { Command } from 'commander';
import { withApplication } from '../database.js';
import { printNewKey } from '../key-json.js';
import { futureMoment, keyId, overlapMs } from '../option-values.js';
import { say } from '../output.js';

interface RollOptions {
  readonly overlap: number;
  readonly expiresAt?: Date;
}

export function addRoll(keys: Command): void {
  keys
    .command('roll')
    .description(
      'replace a key by a new one with the same store, mode, scope, networks, trust and name, and print the new key',
    )
    .argument('<id>', 'id of the old key', keyId)
    .requiredOption('--overlap <D>', 'how long the old key still works, from 1s to 90d', overlapMs)
    .option('--expires-at <T>', 'the time at which the new key stops working, in ISO 8601', futureMoment)
    .addHelpText(
      'after',
      '\nThe old key keeps an earlier end. A key has one successor: if its text is lost, revoke it and roll again.' +
        '\nAfter a leak, use `keys revoke`, which takes effect at once.' +
        '\n\nExample:\n  keys roll 01a20066-13fe-7403-821d-09fa5dc281da --overlap 7d',
    )
    .action((id: string, { overlap, expiresAt }: RollOptions) =>
      withApplication(async (app) => {
        const command = { id, overlapMs: overlap, expiresAt: expiresAt ?? null };
        const { key, successor, oldKeyExpiresAt } = await app.get(RollApiKey).execute(command);
        const store = await app.get(StoreRepository).findProfile(successor.storeId);
        say(`The old key stops working at ${oldKeyExpiresAt.toISOString()}.`);
        printNewKey(successor, key, store?.subdomain ?? '', { replaces: { id, expires_at: oldKeyExpiresAt } });
      }),
    );
}
