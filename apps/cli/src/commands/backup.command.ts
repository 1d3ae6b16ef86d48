import path from 'node:path';
import type { Config } from '@app/infrastructure';
import { type BackupReport, restoreBackup, writeBackup } from '@app/operations';
import type { Command } from 'commander';
import { withDatabase } from '../database.js';
import { explainFile, untilSignal, withBar } from '../file-work.js';
import { newFile } from '../option-values.js';
import { printJson, say } from '../output.js';

export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('copy all data to a file, from one snapshot, while the service runs')
    .argument('<file>', 'a new file, which only its owner can read', newFile)
    .addHelpText('after', '\nExample:\n  backup store-2026-11-21.backup.gz')
    .action((file: string) => backUp(file));

  program
    .command('restore')
    .description('load a backup into an empty database, and verify that it is complete')
    .argument('<file>', 'a file that `backup` wrote')
    .addHelpText(
      'after',
      '\nExample:\n  DATA_DIR=.data-restored npm run --silent cli -- restore store-2026-11-21.backup.gz',
    )
    .action((file: string) => restore(path.resolve(file)));
}

async function backUp(file: string): Promise<void> {
  await withDatabase(async ({ config, url }) => {
    const report = await untilSignal('Interrupted. There is no backup.', (signal) =>
      withBar((onProgress) => writeBackup(url, file, { signal, onProgress }).catch(explainFile)),
    );
    const { bytes, takenAt: taken_at, schema, tables } = report;
    say(`${rowsOf(tables)} rows of ${Object.keys(tables).length} tables are in ${file}.`);
    say(`The encryption key is not: keep ${placeOfKey(config)} as well, elsewhere.`);
    printJson({ file, bytes, taken_at, schema, rows: rowsOf(tables), tables });
  });
}

async function restore(file: string): Promise<void> {
  await withDatabase(async ({ config, url }) => {
    const report = await withBar((onProgress) => restoreBackup(url, file, onProgress).catch(explainFile));
    const { takenAt: taken_at, schema, tables, stockChecked, pendingStages } = report;
    say(`${rowsOf(tables)} rows of ${Object.keys(tables).length} tables, as they were at ${taken_at}, are restored.`);
    say(`All ${stockChecked} bins agree with the ledger. ${pendingStages} notifications will be sent.`);
    say(`Encrypted values need the key they were encrypted with, in ${placeOfKey(config)}.`);
    const counts = { stock_checked: stockChecked, notifications_pending: pendingStages };
    printJson({ taken_at, schema, rows: rowsOf(tables), tables, ...counts });
  });
}

function rowsOf(tables: BackupReport['tables']): number {
  return Object.values(tables).reduce((sum, rows) => sum + rows, 0);
}

function placeOfKey({ encryptionKeys, dataDir }: Config): string {
  return encryptionKeys === null ? path.join(dataDir, 'encryption.key') : 'DATA_ENCRYPTION_KEYS';
}
