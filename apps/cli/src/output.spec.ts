import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { printJson, printText, say } from './output.js';

/** C0, DEL, C1, marks of the writing direction, separators of lines and paragraphs. */
const OBEYED = [0x00, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x9d, 0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff]
  .concat([0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])
  .map((code) => String.fromCharCode(code))
  .join('');
const STORED = `Åda 王\t${OBEYED}`;

describe('what a command prints', () => {
  let printed: string;
  beforeEach(() => {
    printed = '';
    const keep = (text: string | Uint8Array) => (printed += String(text)) !== '';
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  });
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['JSON', printJson],
    ['a table', printText],
    ['words', say],
  ])('has no character that a terminal obeys, in %s', (_, print) => {
    print(STORED);

    expect(printed).not.toMatch(new RegExp(`[${OBEYED}]`, 'u'));
    expect(printed).toContain('Åda 王');
    expect(printed).toContain('\\u009b');
  });

  it('is equal to what is stored when JSON is parsed', () => {
    printJson({ [STORED]: STORED });

    expect(JSON.parse(printed)).toEqual({ [STORED]: STORED });
  });

  it('passes through one file', () => {
    const sources = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ts$/.test(name));
    const writers = sources.filter((name) =>
      /std(out|err)\.write|console\./.test(
        readFileSync(path.join(__dirname, name), 'utf8').replace(/^\s*\/\/.*/gm, ''),
      ),
    );

    // program.ts passes commander's messages on.
    expect(writers.filter((name) => !name.endsWith('.spec.ts')).sort()).toEqual(['output.ts', 'program.ts']);
  });
});
