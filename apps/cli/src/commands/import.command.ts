import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  BundleLineError,
  dataCipher,
  ImportStopped,
  withBundleImporter,
  type ImportOptions,
  type ImportReport,
} from '@app/infrastructure';
import type { Command } from 'commander';
import { withDatabase } from '../database.js';
import { CommandFailed } from '../failures.js';
import { printJson } from '../output.js';
import { progressBar } from '../progress-bar.js';

/** Exit codes of a command that a signal ended, as shells have them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

export function addImport(program: Command): void {
  program
    .command('import')
    .description('import a store bundle: creates what is new, updates what is known; may be run again')
    .argument('<file>', 'NDJSON, one object a line; - for standard input')
    .addHelpText(
      'after',
      '\nThe format, with an example to copy from: docs/store-bundle.md\n\nExamples:\n  import acme.ndjson\n  zcat acme.ndjson.gz | npm run --silent cli -- import -',
    )
    .action((file: string) => importFile(file));
}

async function importFile(file: string): Promise<void> {
  const { source, size } = open(file);
  const report = await withDatabase(({ config, url }) =>
    interruptible(source, (signal) => {
      const bar = progressBar(size);
      const options: ImportOptions = { signal, onProgress: ({ bytes }) => bar.update(bytes) };
      return withBundleImporter(url, dataCipher(config), (importer) => importer.importText(source, options)).finally(
        () => bar.stop(),
      );
    }),
  );
  printJson(report);
}

function open(file: string): { source: Readable; size: number } {
  if (file === '-') return { source: process.stdin, size: 0 };
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandFailed(`${file} is a directory.`);
    return { source: createReadStream(file, { highWaterMark: 1 << 20 }), size: stats.size };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw new CommandFailed(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);
  }
}

/** Lets a signal end the import after the batch that is being written; a second one ends it at once. */
async function interruptible(
  source: Readable,
  work: (signal: AbortSignal) => Promise<ImportReport>,
): Promise<ImportReport> {
  const abort = new AbortController();
  let exitCode: number | null = null;
  const stop = (signal: keyof typeof SIGNALS) => {
    exitCode = SIGNALS[signal];
    abort.abort();
    source.destroy();
  };
  for (const signal of Object.keys(SIGNALS)) process.once(signal, stop);
  try {
    return await work(abort.signal);
  } catch (error) {
    if (!(error instanceof ImportStopped)) throw error;
    throw explain(error, exitCode);
  } finally {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, stop);
  }
}

function explain({ reason, report: { lines } }: ImportStopped, exitCode: number | null): CommandFailed {
  const kept = lines === 0 ? 'Nothing was kept.' : `Lines 1 to ${lines} are in, and nothing after them.`;
  if (exitCode !== null) {
    return new CommandFailed(`Interrupted. ${kept} Run the import again to go on.`, exitCode);
  }
  const remedy =
    reason instanceof BundleLineError ? 'Mend the line and run the import again.' : 'Run the import again.';
  return new CommandFailed(`${reason.message}\n${kept} ${remedy}`);
}
