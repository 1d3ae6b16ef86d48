import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { writeWholeFile } from '@app/infrastructure';
import { checkLine } from '../bundle/check/check-line.js';
import { Fault } from '../bundle/check/faults.js';
import { KINDS_IN_ORDER } from '../bundle/schema/bundle-schema.js';
import type { BundleKind } from '../bundle/schema/bundle.js';
import { MAX_LINE_BYTES } from '../bundle/read/read-lines.js';
import { countRows, linesOf, type AnySection } from './section.js';
import { SECTIONS } from './sections.js';
import { inSnapshot, type StoreSnapshot } from './snapshot.js';

export interface ExportOptions {
  /** Kinds of lines; all by default. */
  readonly only?: readonly BundleKind[];
  /** Leaves out products, customers, orders and stock that have not changed since. Null = nothing is left out. */
  readonly since?: Date | null;
  /** Aborts the export and removes its file. */
  readonly signal?: AbortSignal;
  /** Receives the fraction done, from 0 to 1. */
  readonly onProgress?: (done: number) => void;
}

export interface ExportReport {
  /** Size of the file. */
  readonly bytes: number;
  /** The moment of the snapshot. */
  readonly takenAt: string;
  /** Lines by kind. */
  readonly lines: Readonly<Partial<Record<BundleKind, number>>>;
}

/** A row that no line of a bundle can hold. The message names the row and the field, and repeats no personal text. */
export class Unexportable extends Error {}

/**
 * Writes a store as a bundle, as of one moment, to a file that only its owner can read; compressed if its name ends in
 * `.gz`. It blocks no other process, and its memory does not grow with the store. The file gets its name only when it is
 * complete.
 *
 * @throws NotFound when there is no such store.
 * @throws Unexportable when `import` would refuse a line.
 * @throws Error when the file already exists or cannot be written.
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
      const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
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

/** @throws Unexportable when `import` would refuse the line. */
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
