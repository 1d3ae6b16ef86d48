import { errorCode } from '@app/infrastructure';

const BYTE_ORDER_MARKS: readonly (readonly [mark: string, encoding: string])[] = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
];
/** The longest beginning that tells files apart. */
const START_BYTES = 4;
/** Of a ZIP archive, which an .xlsx or .ods is, and of an .xls. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];

/**
 * Converts text to UTF-8. A byte order mark names the encoding; without one, it is `encoding`, or UTF-8.
 *
 * @param encoding a label of the Encoding Standard.
 * @throws Error for a workbook, for UTF-16 that is not named, and for text that does not have the encoding. UTF-8 is
 *   not checked here.
 */
export async function* inUtf8(source: AsyncIterable<Uint8Array>, encoding?: string): AsyncGenerator<Uint8Array> {
  let start = Buffer.alloc(0);
  let convert: Converter | null = null;
  for await (const chunk of source) {
    if (convert) yield convert(chunk);
    else {
      start = Buffer.concat([start, chunk]);
      if (start.length < START_BYTES) continue;
      convert = converterOf(start, encoding);
      yield convert(start);
    }
  }
  if (convert) yield convert();
  else {
    convert = converterOf(start, encoding);
    yield convert(start);
    yield convert();
  }
}

/** Converts the next bytes; without an argument, the rest. */
type Converter = (bytes?: Uint8Array) => Uint8Array;

function converterOf(start: Buffer, named: string | undefined): Converter {
  const hex = start.subarray(0, START_BYTES).toString('hex');
  if (WORKBOOKS.includes(hex)) throw new Error('The file is a workbook, such as .xlsx: save it as CSV, in UTF-8.');
  const encoding = BYTE_ORDER_MARKS.find(([mark]) => hex.startsWith(mark))?.[1] ?? named ?? 'utf-8';
  if (encoding === 'utf-8') {
    // The first heading is at least two ASCII characters.
    if (/^00../.test(hex)) throw unnamed('utf-16be');
    if (/^..00/.test(hex)) throw unnamed('utf-16le');
    return (bytes = new Uint8Array()) => bytes;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => {
    try {
      return Buffer.from(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode());
    } catch (error) {
      throw errorCode(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA'
        ? new Error(`The file is not ${encoding} text.`)
        : error;
    }
  };
}

const unnamed = (encoding: string) =>
  new Error(`The file looks like UTF-16 without a byte order mark: name its encoding with --encoding ${encoding}.`);
