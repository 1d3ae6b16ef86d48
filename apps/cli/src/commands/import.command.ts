import { createReadStream, statSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { dataCipher } from '@app/infrastructure';
import { BadLines, type ImportOptions, ImportStopped, withBundleImporter } from '@app/bundles';
import { interruptible } from '@app/startup';
import type { Command } from 'commander';
import { addCommand } from '../command.js';
import { withDatabase } from '../database.js';
import { CommandFailed, EXIT, sentence } from '../failures.js';
import { progressBar } from '../file-work.js';
import { print, say } from '../output.js';

const HELP = `The format, with an example to copy from: docs/store-bundle.md

Examples:
  import --dry-run acme.ndjson
  import acme.ndjson
  import acme.ndjson.gz`;

export function addImport(program: Command): void {
  addCommand(
    program,
    'import',
    'import a store bundle: create new rows and update existing ones; safe to run again',
    HELP,
  )
    .argument('<file>', 'NDJSON, one object per line, gzip if its name ends in .gz; - for standard input')
    .option('--dry-run', 'check every line and report the result without writing')
    .action(importFile);
}

/** The first SIGINT or SIGTERM ends the work after the current batch; the second one ends the process at once. */
async function importFile(file: string, { dryRun = false }: { dryRun?: boolean }): Promise<void> {
  const { source, size } = openSource(file);
  const abort = new AbortController();
  let exitCode: number | null = null;
  const interrupt = (code: number) => {
    exitCode = code;
    abort.abort();
    source.destroy();
  };
  const report = await withDatabase(
    async ({ config, url }) => {
      const bar = progressBar(size);
      const options: ImportOptions = { dryRun, signal: abort.signal, onProgress: (bytes) => bar.update(bytes) };
      const work = () =>
        withBundleImporter(url, dataCipher(config), (importer) => importer.importText(source, options));
      try {
        return await interruptible(interrupt, work);
      } catch (error) {
        throw explain(error, exitCode);
      } finally {
        bar.stop();
      }
    },
    { mayCreate: true },
  );
  for (const field of report.trimmed) say(`${field}: leading and trailing whitespace was removed`);
  for (const warning of report.warnings) say(`warning: ${warning}`);
  print(report);
}

/** @param exitCode null when there was no signal. */
function explain(error: unknown, exitCode: number | null): unknown {
  if (!(error instanceof ImportStopped)) return error;
  const { reason, report } = error;
  const cause = exitCode === null ? sentence(reason) : 'Interrupted.';
  const { lines } = report;
  const kept = lines === 0 ? 'Nothing was imported.' : `Lines 1 to ${lines} were imported; nothing after them was.`;
  if (report.dryRun) return new CommandFailed(`${cause}\nNothing was written.`, exitCode ?? EXIT.failed);
  if (exitCode !== null) return new CommandFailed(`${cause} ${kept} Run the import again to continue.`, exitCode);
  return new CommandFailed(`${cause}\n${kept} ${remedyOf(reason)}`);
}

function remedyOf(reason: Error): string {
  if (reason instanceof BadLines)
    return `Correct the line${reason.faults.length > 1 ? 's' : ''} and run the import again.`;
  return 'Run the import again.';
}

/** `size` is in bytes; 0 means unknown. @throws CommandFailed */
function openSource(file: string): { source: Readable; size: number } {
  if (file === '-') return { source: process.stdin, size: 0 };
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new CommandFailed(`${file} is a directory.`);
    const stored = createReadStream(file, { highWaterMark: 1 << 20 });
    if (!file.endsWith('.gz')) return { source: stored, size: stats.size };
    // The reader of the result gets the errors.
    return { source: pipeline(stored, createGunzip({ chunkSize: 1 << 20 }), () => undefined), size: 0 };
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, error: unknown): CommandFailed =>
  new CommandFailed(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);
