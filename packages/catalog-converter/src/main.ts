import { createReadStream, readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { convert } from './convert.js';
import { emptyReport, summaryOf } from './report.js';
import { shopify } from './shopify.js';
import { wooCommerce } from './woocommerce.js';

const USAGE = `Usage: catalog-converter shopify|woocommerce --store S [options] FILE.csv

Writes a store bundle to standard output, and a report to standard error.
The exit code is 1 when a product was refused; the others are converted.

Options:
  --store S            subdomain of the store
  --bin W/B            the bin of the store for the quantities of the file (default: CATALOG/IMPORT, which is created)
  --no-stock           writes no stock
  --columns FILE.json  maps columns with other headings: {"heading of the file": "English heading"}
  --encoding E         of a file that is not UTF-8 and has no byte order mark: windows-1252, utf-16le …

Example:
  npx catalog-converter shopify --store acme products_export.csv | npx store-commerce import -`;

const FORMATS = { shopify, woocommerce: wooCommerce };
const FAILED = 1;
const WRONG_USAGE = 2;

class UsageError extends Error {}

/** Escapes text from a file, which must not control the terminal. */
const printable = (text: string) =>
  text.replace(
    /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const say = (text: string) => process.stderr.write(`${printable(text)}\n`);

function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    allowNegative: true,
    options: {
      store: { type: 'string' },
      bin: { type: 'string' },
      stock: { type: 'boolean', default: true },
      columns: { type: 'string' },
      encoding: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const [name = '', file, ...others] = positionals;
  if (values.help) return null;
  const format = Object.entries(FORMATS).find(([known]) => known === name)?.[1];
  if (!format) throw new UsageError(`Specify the format: ${Object.keys(FORMATS).join(' or ')}.`);
  if (file === undefined || others.length > 0) throw new UsageError('Specify one file.');
  const { store, bin = 'CATALOG/IMPORT', stock, columns, encoding } = values;
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(store ?? '')) throw new UsageError('--store must be a subdomain.');
  if (!/^[^\s/]{1,64}\/[^\s/]{1,64}$/.test(bin)) throw new UsageError('--bin must be WAREHOUSE/BIN.');
  return {
    format,
    file,
    store: store ?? '',
    bin: stock ? bin : null,
    createsBin: values.bin === undefined,
    ...(columns !== undefined && { columns: readColumns(columns) }),
    ...(encoding !== undefined && { encoding: encodingName(encoding) }),
  };
}

function encodingName(text: string): string {
  try {
    return new TextDecoder(text).encoding;
  } catch {
    throw new UsageError('--encoding must be an encoding such as windows-1252, windows-1250, utf-16le or shift_jis.');
  }
}

function readColumns(file: string): Record<string, string> {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  try {
    const columns = JSON.parse(text) as unknown;
    const isObject = typeof columns === 'object' && columns !== null && !Array.isArray(columns);
    if (isObject && Object.values(columns).every((name) => typeof name === 'string')) {
      return columns as Record<string, string>;
    }
  } catch {
    // The error below covers this case, too.
  }
  throw new Error(`${file} must be a JSON object such as {"Preis": "Regular price"}.`);
}

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2));
  if (!options) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  // A pipe cannot be read twice.
  if (!statSync(options.file).isFile()) throw new Error(`${options.file} is not a file.`);
  const report = emptyReport();
  const lines = convert({
    ...options,
    open: () => createReadStream(options.file, { highWaterMark: 1 << 20 }),
    now: new Date(),
    noted: ({ outcome, line, reason }) => say(`line ${line}: ${outcome}: ${reason}`),
    report,
  });
  async function* text(): AsyncGenerator<string> {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`;
  }
  await pipeline(Readable.from(text()), process.stdout);
  say(summaryOf(report));
  return report.refused > 0 ? FAILED : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException;
  const isUsage = error instanceof UsageError || code?.startsWith('ERR_PARSE_ARGS');
  say(`error: ${message}${isUsage ? '\n(add --help for usage)' : ''}`);
  process.exitCode = isUsage ? WRONG_USAGE : FAILED;
}
