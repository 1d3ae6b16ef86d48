import { type CsvRecord, readCsv } from './csv-records.js';

async function* pieces(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  for (const text of texts) yield Buffer.from(text);
}

async function read(...texts: string[]): Promise<void> {
  for await (const record of readCsv(() => pieces(...texts))) void record;
}

async function recordsOf(file: string | Uint8Array, encoding?: string): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  const bytes = Array.from(Buffer.from(file), (byte) => Uint8Array.of(byte));
  for await (const record of readCsv(() => pieces(...bytes), encoding)) records.push(record);
  return records;
}

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('readCsv', () => {
  const long = 'x'.repeat(1_200_000);

  it.each([
    ['in the piece of the lines before it', ['a\nb\nc\n', `d\n${long}`], 'line 5: is longer'],
    ['in a piece of its own', ['a\nb\n', long], 'line 3: is longer'],
  ])('names the line that is too long, %s', async (_where, texts, message) => {
    await expect(read(...texts)).rejects.toThrow(message);
  });

  const TEXT = 'Handle,Title\r\nzürich,"€ 😀, “王”\r\n2"\r\n';
  const READ = [
    { line: 1, cells: ['Handle', 'Title'] },
    { line: 2, cells: ['zürich', '€ 😀, “王”\r\n2'] },
  ];

  it.each<[string, string | undefined, string | Uint8Array]>([
    ['UTF-8', undefined, TEXT],
    ['UTF-8 with a byte order mark', undefined, `\ufeff${TEXT}`],
    ['UTF-8 with a byte order mark, whatever is named', 'windows-1252', `\ufeff${TEXT}`],
    ['UTF-16LE with a byte order mark', undefined, Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16BE with a byte order mark', undefined, swapped(`\ufeff${TEXT}`)],
    ['UTF-16LE that is named', 'utf-16le', Buffer.from(TEXT, 'utf16le')],
    ['UTF-16BE that is named', 'utf-16be', swapped(TEXT)],
  ])('reads %s', async (_, encoding, file) => {
    expect(await recordsOf(file, encoding)).toEqual(READ);
  });

  it('reads Windows-1252 that is named', async () => {
    const file = Buffer.concat([Buffer.from('caf\xe9,', 'latin1'), Buffer.from([0x80, 0x93, 0x94])]);

    expect(await recordsOf(file, 'windows-1252')).toEqual([{ line: 1, cells: ['café', '€“”'] }]);
  });

  it.each<[string, Uint8Array, string | undefined, string]>([
    ['Windows-1252', Buffer.from('a\ncaf\xe9', 'latin1'), undefined, 'The file is not utf-8 text: name its encoding'],
    ['UTF-16LE', Buffer.from(TEXT, 'utf16le'), undefined, 'name its encoding with --encoding utf-16le.'],
    ['UTF-16BE', swapped(TEXT), undefined, 'name its encoding with --encoding utf-16be.'],
    [
      'half a character',
      Buffer.from('abcdé', 'utf16le').subarray(1),
      'utf-16le',
      'The file is not utf-16le text: name its encoding',
    ],
    ['a workbook', Buffer.from('PK\x03\x04\x14\0\x06\0'), 'windows-1252', 'The file is a workbook'],
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1', 'hex'), undefined, 'The file is a workbook'],
  ])('says what to do with %s', async (_, file, encoding, message) => {
    await expect(recordsOf(file, encoding)).rejects.toThrow(message);
  });

  it.each([
    ['semicolons', 'a;"b;,,,,";c\n1;"2;2";"3,3"'],
    ['tabs', 'a\t"b;,,,,"\tc\n1\t2;2\t3,3'],
    ['commas', 'a,"b;,,,,",c\n1,2;2,"3,3"'],
  ])('finds that %s separate the fields', async (_, file) => {
    expect((await recordsOf(file)).map(({ cells }) => cells)).toEqual([
      ['a', 'b;,,,,', 'c'],
      ['1', '2;2', '3,3'],
    ]);
  });

  it.each([
    ['', 'sep=,\r\n'],
    [' after a byte order mark', '\ufeffsep=,\n'],
    [' that a spreadsheet quoted and padded', '"sep=,",,\n'],
  ])('takes the separator from the first line%s', async (_, named) => {
    expect(await recordsOf(`${named}a;b;c,d\n1,2`)).toEqual([
      { line: 2, cells: ['a;b;c', 'd'] },
      { line: 3, cells: ['1', '2'] },
    ]);
  });

  it('shows how to write a quotation mark inside a field', async () => {
    await expect(recordsOf('a,b\n17" screen,1')).rejects.toThrow('write the mark twice, as in "17"" screen"');
  });
});
