import { dataCipher } from '@app/infrastructure';
import { BadLines, type ImportOptions, ImportStopped, withBundleImporter } from '@app/bundles';
import type { Command } from 'commander';
import { CommandFailed, EXIT, sentence } from '../failures.js';
import { printJson, say } from '../output.js';
import { importFrom } from '../source-file.js';

export function addImport(program: Command): void {
  program
    .command('import')
    .description('import a store bundle: creates new rows, updates existing ones; may be run again')
    .argument('<file>', 'NDJSON, one object a line, gzip if its name ends in .gz; - for standard input')
    .option('--dry-run', 'check every line, report what an import would do, and write nothing')
    .addHelpText(
      'after',
      '\nThe format, with an example to copy from: docs/store-bundle.md\n\nExamples:\n  import --dry-run acme.ndjson\n  import acme.ndjson\n  import acme.ndjson.gz',
    )
    .action((file: string, { dryRun = false }: { dryRun?: boolean }) => importFile(file, dryRun));
}

async function importFile(file: string, dryRun: boolean): Promise<void> {
  const report = await importFrom(
    file,
    ({ config, url, source, signal, onBytes }) => {
      const options: ImportOptions = { dryRun, signal, onProgress: onBytes };
      return withBundleImporter(url, dataCipher(config), (importer) => importer.importText(source, options));
    },
    explain,
  );
  for (const field of report.trimmed) say(`${field}: blanks around it were removed`);
  printJson(report);
}

function explain(error: unknown, exitCode: number | null): unknown {
  if (!(error instanceof ImportStopped)) return error;
  const { reason, report } = error;
  const cause = exitCode === null ? sentence(reason) : 'Interrupted.';
  const { lines } = report;
  const kept = lines === 0 ? 'Nothing was kept.' : `Lines 1 to ${lines} were imported; nothing after them was.`;
  if (report.dryRun) return new CommandFailed(`${cause}\nNothing was written.`, exitCode ?? EXIT.failed);
  if (exitCode !== null) return new CommandFailed(`${cause} ${kept} Run the import again to continue.`, exitCode);
  return new CommandFailed(`${cause}\n${kept} ${remedyOf(reason)}`);
}

function remedyOf(reason: Error): string {
  if (reason instanceof BadLines)
    return `Correct the line${reason.faults.length > 1 ? 's' : ''} and run the import again.`;
  return 'Run the import again.';
}
