import { RotateSecrets, type KeyUse, type RotationReport } from '@app/application';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { withApplication } from '../database.js';
import { CommandFailed } from '../failures.js';
import { printJson, printText, say } from '../output.js';
import { progressBar } from '../file-work.js';

export function addSecrets(program: Command): void {
  const secrets = addCommand(program, 'secrets', 'rotate the encryption key of secrets in the database');
  const what = 're-encrypt all secrets under the newest key of DATA_ENCRYPTION_KEYS; may be interrupted and run again';
  addCommand(secrets, 'rotate', what, 'Step by step: SECURITY.md\n\nExample:\n  secrets rotate --json')
    .option('--json', 'print the summary as JSON instead of a table')
    .action(rotate);
}

async function rotate({ json: asJson = false }: { json?: boolean }): Promise<void> {
  const report = await withApplication(async (app) => {
    const rotation = app.get(RotateSecrets);
    const bar = progressBar(await rotation.due());
    return rotation.execute((rotated) => bar.update(rotated)).finally(() => bar.stop());
  });
  if (asJson) printJson(report);
  else printText(tableOf(report));
  assertComplete(report);
}

function tableOf({ rotated, keys }: RotationReport): string {
  const heading = ['key', 'DATA_ENCRYPTION_KEYS', 'values', ''];
  const rows = keys.map((use) => [use.key, placeOf(use), String(use.values), adviceOf(use)]);
  return `${rotated} values were re-encrypted.\n\n${textTable([heading, ...rows])}`;
}

function textTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function placeOf({ position }: KeyUse): string {
  if (position === null) return 'not in it';
  return position === 1 ? '1 (newest)' : String(position);
}

function adviceOf({ position, values }: KeyUse): string {
  if (position === null) return 'these are lost without this key';
  if (position === 1) return '';
  return values === 0 ? 'may be dropped' : 'still needed';
}

function assertComplete({ unreadable, examples, left }: RotationReport): void {
  if (unreadable > 0) {
    examples.forEach(say);
    if (unreadable > examples.length) say(`… and ${unreadable - examples.length} more`);
    throw new CommandFailed(`${unreadable} values could not be decrypted and were left as they are.`);
  }
  if (left > 0) throw new CommandFailed(`${left} values were in use during every pass. Run the command again.`);
}
