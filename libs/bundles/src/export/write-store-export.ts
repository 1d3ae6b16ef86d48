import { open, stat } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { writeWholeFile } from '@app/infrastructure';
import { checkLine } from '../bundle/check/check-line.js';
import { Fault } from '../bundle/check/faults.js';
import { KINDS_IN_ORDER } from '../bundle/schema/bundle-schema.js';
import type { BundleKind } from '../bundle/schema/bundle.js';
import { MAX_LINE_BYTES } from '../bundle/read/read-lines.js';
import { SECTIONS } from './sections.js';
import { countRows, inSnapshot, linesOf, type AnySection, type StoreSnapshot } from './snapshot.js';

export interface ExportOptions {
  readonly only?: readonly BundleKind[];
  /** Excludes products, customers, orders and stock that have not changed since then. */
  readonly since?: Date | null;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

export interface ExportReport {
  readonly bytes: number;
  readonly takenAt: string;
  readonly lines: Readonly<Partial<Record<BundleKind, number>>>;
}

export class Unexportable extends Error {}

/**
 * Writes a store, as of one moment, to a file that only its owner can read and that gets its name only when it is
 * complete. Memory does not grow with the store.
 * @throws NotFound, Unexportable; Error when the file exists or cannot be written.
 */
export async function writeStoreExport(
  url: string,
  subdomain: string,
  file: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const { only = KINDS_IN_ORDER, since = null, signal, onProgress = () => undefined } = options;
  const sections = SECTIONS.filter(({ kind }) => only.includes(kind));
  const content = await writeWholeFile(file, (draft) =>
    inSnapshot(url, subdomain, async (snapshot) => {
      const lines: Partial<Record<BundleKind, number>> = {};
      const text = Readable.from(textOf(snapshot, sections, since, lines, onProgress));
      // The file is opened before the pipeline can fail: a file that is opened later would stay.
      const target = (await open(draft, 'wx', 0o600)).createWriteStream({ flush: true });
      await pipeline(text, file.endsWith('.gz') ? createGzip() : new PassThrough(), target, { signal });
      return { takenAt: snapshot.takenAt.toISOString(), lines };
    }),
  );
  return { bytes: (await stat(file)).size, ...content };
}

async function* textOf(
  snapshot: StoreSnapshot,
  sections: readonly AnySection[],
  since: Date | null,
  lines: Partial<Record<BundleKind, number>>,
  onProgress: (done: number) => void,
): AsyncGenerator<Buffer> {
  let total = 0;
  for (const section of sections) total += await countRows(snapshot, section, since);
  let done = 0;
  for (const section of sections) {
    lines[section.kind] = 0;
    for await (const page of linesOf(snapshot, section, since)) {
      if (page.length === 0) continue;
      yield Buffer.from(page.map(encoded).join(''));
      lines[section.kind] = (lines[section.kind] ?? 0) + page.length;
      done += page.length;
      onProgress(done / total);
    }
  }
}

function encoded(line: object): string {
  try {
    const text = `${JSON.stringify(checkLine(line))}\n`;
    if (Buffer.byteLength(text) > MAX_LINE_BYTES) throw new Fault('the line', `is longer than ${MAX_LINE_BYTES} bytes`);
    return text;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { kind, id } = line as { kind: string; id?: string | number };
    const name = id === undefined ? kind : `${kind} ${id}`;
    throw new Unexportable(`The ${name} cannot be a line of a store bundle: ${error.message}.`);
  }
}
