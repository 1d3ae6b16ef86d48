import { RotateSecrets, type KeyUse, type RotationReport } from '@app/application';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { withApplication } from '../database.js';
import { CommandFailed } from '../failures.js';
import { print, say } from '../output.js';
import { progressBar } from '../file-work.js';

export function addSecrets(program: Command): void {
  const secrets = addCommand(program, 'secrets', 'rotate the encryption key of secrets in the database');
  const what = 're-encrypt all secrets with the newest key of DATA_ENCRYPTION_KEYS; safe to interrupt and run again';
  addCommand(secrets, 'rotate', what, 'Step by step: SECURITY.md').action(rotate);
}

async function rotate(): Promise<void> {
  const report = await withApplication(async (app) => {
    const rotation = app.get(RotateSecrets);
    const bar = progressBar(await rotation.due());
    return rotation.execute((rotated) => bar.update(rotated)).finally(() => bar.stop());
  });
  print({ ...report, keys: report.keys.map((use) => ({ ...use, note: hintFor(use) })) });
  assertComplete(report);
}

function hintFor({ position, values }: KeyUse): string {
  if (position === null) return 'missing: these values cannot be read';
  if (position === 1) return 'newest';
  return values === 0 ? 'can be removed' : 'still in use';
}

function assertComplete({ unreadable, examples, left }: RotationReport): void {
  if (unreadable > 0) {
    examples.forEach(say);
    if (unreadable > examples.length) say(`… and ${unreadable - examples.length} more`);
    throw new CommandFailed(`${unreadable} values could not be decrypted and were not changed.`);
  }
  if (left > 0) throw new CommandFailed(`${left} values were in use during every pass. Run the command again.`);
}
