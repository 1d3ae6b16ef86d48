import { CommitOutcomeUnknown, StoreMoved, Unavailable, UnusableValue } from '@app/application';
import { NotFound } from '@app/domain';
import { QueryFailedError } from 'typeorm';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { withTerminal } from '../../../test/support/terminal.js';
import { EXIT, report, CommandFailed } from './failures.js';
import { createProgram } from './program.js';
import { print, printJson, say } from './output.js';

const ID = '01a20066-13fe-7403-821d-09fa5dc281da';

let said: string[];

beforeEach(() => {
  said = [];
  const keep = (text: string | Uint8Array) => said.push(String(text)) > 0;
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
});

afterEach(() => vi.restoreAllMocks());

async function exitCodeOf(...args: string[]): Promise<number> {
  try {
    await withTerminal(false, () => createProgram().parseAsync(args, { from: 'user' }));
    return EXIT.ok;
  } catch (error) {
    return report(error);
  }
}

describe('the command line', () => {
  it.each<[string, string]>([
    ['an unknown command', 'shops'],
    ['no command', ''],
    ['a group without its command', 'stores'],
    ['an unknown option', 'stores list --all'],
    ['an argument too many', 'migrate now'],
    ['a missing option', 'keys list'],
    ['a missing argument', 'import'],
    ['an export without its file', 'export --store a'],
    ['an export without its store', 'export a.ndjson'],
    ['an export to standard output', 'export --store a -'],
    ['an export of a kind that is none', 'export --store a --only orders,order a.ndjson'],
    ['an export since a time in words', 'export --store a --since yesterday a.ndjson'],
    ['an erasure without a store', 'customers erase ada@example.com'],
    ['a subdomain with capitals', 'stores create --subdomain Acme --name A --currency USD'],
    ['an unknown currency', 'stores create --subdomain acme --name A --currency USX'],
    ['an unknown mode', 'keys create --store acme --mode prod'],
    ['an unknown scope', 'keys create --store acme --scope write'],
    ['an unknown scope among others', 'keys create --store acme --scope full,write'],
    ['two scopes that contradict each other', 'keys create --store acme --scope read --scope full'],
    ['two scopes that contradict each other in one option', 'keys create --store acme --scope stock,full'],
    ['a network with bits after its length', 'keys create --store acme --from 10.0.0.1/8'],
    ['a scope with an empty word', 'keys create --store acme --scope read,'],
    ['a network that is too long', 'keys create --store acme --from 192.0.2.0/33'],
    ['a network without a part', 'keys create --store acme --from 192.0.2.0/24,'],
    ['a network with a zone', 'keys create --store acme --from fe80::1%lo/64'],
    ['a move that is to be checked and taken back', 'stores move acme --to postgres://b/store --dry-run --abort'],
    ['a first id of stores beyond the range', 'migrate --first-store-id 2000000001'],
    ['a roll without an overlap', `keys roll ${ID}`],
    ['an overlap without a unit', `keys roll ${ID} --overlap 7`],
    ['an overlap in words', `keys roll ${ID} --overlap week`],
    ['no overlap', `keys roll ${ID} --overlap 0d`],
    ['an overlap of more than 90 days', `keys roll ${ID} --overlap 91d`],
    ['an overlap of more than 90 days in seconds', `keys roll ${ID} --overlap 7776001s`],
    ['a roll of an id that is none', 'keys roll 7 --overlap 7d'],
    ['a moment in the past', 'keys create --store acme --expires-at 2020-01-01T00:00:00Z'],
    ['a moment in words', 'keys create --store acme --expires-at tomorrow'],
    ['a day that is past', 'keys create --store acme --expires-at 2020-01-01'],
    ['a day that is none', 'keys create --store acme --expires-at 2999-02-30'],
    ['a time on a day that is none', `keys roll ${ID} --overlap 7d --expires-at 2999-02-30T00:00:00Z`],
    ['an end that is after the year 9999 in UTC', 'keys create --store acme --expires-at 9999-12-31T23:59:59-12:00'],
    ['an end on a day after the year 9999', 'keys create --store acme --expires-at +010000-01'],
    ['no time from now', `keys roll ${ID} --overlap 7d --expires-at 0d`],
    ['an end after more than 100 years', 'keys create --store acme --expires-at 36501d'],
    ['an id that is none', 'keys revoke 7'],
    ['a release of no order', 'orders release'],
    ['a release of all orders without a reason', 'orders release --all'],
    ['a release of an order and of all', 'orders release WEB-1 --all --reason email_velocity'],
    ['a release of an order for a reason', 'orders release WEB-1 --reason email_velocity'],
    ['a reason that is none', 'orders release --all --reason e-mail'],
    ['a status that is none', 'orders set-status WEB-1 --status PAID'],
    ['a change of no status', 'orders set-status WEB-1'],
    ['a paid amount in words', 'orders verify-payment WEB-1 --amount all --currency USD'],
    ['a limit beyond 1000', 'orders list --limit 1001'],
    ['a webhook without its URL', 'webhooks create --store a'],
    ['a webhook of a kind that is none', 'webhooks create --store a --url https://example.com --kinds orders,order'],
    ['a webhook of more changes than a message has', 'webhooks create --store a --url https://example.com --batch 101'],
    ['a webhook by an id that is none', 'webhooks show 7'],
    ['a replay from nowhere', `webhooks replay ${ID}`],
    ['a replay from a time to come', `webhooks replay ${ID} --from 2999-11-20T09:30:00Z`],
    ['a replay from a time before the year 1', `webhooks replay ${ID} --from 0000-11-20T09:30:00Z`],
    ['a replay from a time in words', `webhooks replay ${ID} --from yesterday`],
    ['a replay from a time without its zone', `webhooks replay ${ID} --from 2026-11-20T09:30`],
    ['a secret that signs for more than 7 days', `webhooks rotate-secret ${ID} --overlap 8d`],
  ])('is refused as wrong usage for %s, with words', async (_, line) => {
    expect(await exitCodeOf(...line.split(' ').filter(Boolean))).toBe(EXIT.usage);
    expect(said.join('')).toMatch(/error: (?!There is no database)|Usage: /);
  });

  it.each([
    ['--store <S>', 'keys create --store acme --store other'],
    ['--name <N>', 'keys create --store acme --name A --mode test --name A'],
    ['--mode <mode>', 'keys create --store acme --mode live --mode test'],
    ['--days <N>', 'keys usage --days 7 --days=8'],
    ['--all', 'orders release --all --all --reason email_velocity'],
    ['--status <P>', 'orders set-status WEB-1 --status FAILED --status PENDING'],
  ])('refuses a second %s by name', async (flags, line) => {
    expect(await exitCodeOf(...line.split(' '))).toBe(EXIT.usage);
    expect(said.join('')).toContain(`error: option '${flags}' is given more than once\n`);
  });

  it.each([
    ['10.0.0.1/8', "Specify 10.0.0.0/8 or 10.0.0.1/32 instead of '10.0.0.1/8'."],
    ['::ffff:10.0.0.0/104', "Specify 10.0.0.0/8 instead of '::ffff:10.0.0.0/104'."],
    ['10.0', "Specify networks such as 192.0.2.0/24,2001:db8::/32 instead of '10.0'."],
  ])('says what the network %s may mean', async (network, remedy) => {
    expect(await exitCodeOf('keys', 'create', '--store', 'a', '--from', network)).toBe(EXIT.usage);
    expect(said.join('')).toContain(remedy);
  });

  it('says who has the scope that no key has', async () => {
    expect(await exitCodeOf('keys', 'create', '--store', 'a', '--scope', 'read,team')).toBe(EXIT.usage);
    expect(said.join('')).toContain('No key has the scope team: people manage the team.');
  });

  it.each([
    `keys revoke ${ID}`,
    'customers erase ada@example.com --store a',
    `webhooks delete ${ID}`,
    'feed new-branch',
    'orders set-status WEB-1 --fulfillment-status CANCELLED',
  ])('cannot ask without a terminal, and does nothing without --yes: %s', async (line) => {
    expect(await exitCodeOf(...line.split(' '))).toBe(EXIT.usage);
    expect(said).toEqual(['error: This cannot be undone, and no terminal is attached to confirm it: add --yes.\n']);
  });

  it.each([
    ['nothing but space', ' \t'],
    ['a line break', 'A\nB'],
    ['a carriage return', 'A\rB'],
    ['a line separator', 'A\u2028B'],
    ['a control character', 'A\u001b[2JB'],
    ['a turn of the writing direction', 'A\u202eB'],
    ['half a surrogate pair', 'A\ud800B'],
    ['too many characters', 'A'.repeat(201)],
  ])('refuses a name of %s in one line, for stores and keys', async (_, name) => {
    const refusal =
      'error: --name must be 1 to 200 characters on one line, some of them visible, without control characters.\n';

    expect(await exitCodeOf('stores', 'create', '--subdomain', 'a', '--currency', 'USD', '--name', name)).toBe(
      EXIT.usage,
    );
    expect(await exitCodeOf('keys', 'create', '--store', 'a', '--name', name)).toBe(EXIT.usage);
    expect(said).toEqual([refusal, refusal]);
  });

  it('prints no control characters of an argument', async () => {
    expect(await exitCodeOf('import', 'none\u001b[2J\u009d\u202e.ndjson')).toBe(EXIT.failed);
    expect(await exitCodeOf('no-such-\u001b[2J\u202e-command')).toBe(EXIT.usage);

    expect(said.join('')).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(said.join('')).toContain('none\\u001b[2J\\u009d\\u202e.ndjson');
  });

  it('prints its version', async () => {
    expect(await exitCodeOf('--version')).toBe(EXIT.ok);
    expect(said.join('')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    'keys revoke KEY',
    'keys revoke SECRET',
    'keys roll KEY --overlap 7d',
    'keys KEY',
    'keys list --store KEY',
    'keys list --store acme --KEY',
    'orders set-status KEY',
    'KEY',
  ])('never repeats a key: %s', async (line) => {
    const secret = 'Zq3vT8mK1xW6bN4cR9dF2gH7jL5pS0aYuEiOnM';
    const typed = line.replace('KEY', `svc_live_${secret}`).replace('SECRET', secret);

    expect(await exitCodeOf(...typed.split(' '))).toBe(EXIT.usage);
    expect(said.join('')).toMatch(/^error: /);
    expect(said.join('')).not.toContain(secret);
  });

  it.each([' ', 'ada\0@example.com'])('does not repeat what no order can have as its e-mail: %j', async (text) => {
    expect(await exitCodeOf('customers', 'erase', text, '--store', 'a')).toBe(EXIT.usage);

    expect(said.join('')).toBe('error: Specify an e-mail.\n');
  });

  it('asks for the id of a key, in words', async () => {
    await exitCodeOf('keys', 'revoke', '7');

    expect(said.join('')).toBe('error: Specify the id of a key, as `keys list` shows it.\n');
  });

  it.each([
    '--help',
    'import --help',
    'keys create --help',
    'keys roll --help',
    'export --help',
    'customers export --help',
    'customers erase --help',
    'orders set-status --help',
    'orders verify-payment --help',
    'webhooks create --help',
    'webhooks replay --help',
    'webhooks rotate-secret --help',
  ])('explains itself: %s', async (line) => {
    expect(await exitCodeOf(...line.split(' '))).toBe(EXIT.ok);
    expect(said.join('')).toContain('Example');
  });

  it.each([
    ['loyalty', 'Specify a schema and a directory'],
    ['public=.', 'public cannot be the schema of an extension'],
    ['loyalty=docs', 'No migrations in'],
    ['loyalty=missing', 'ENOENT'],
  ])('migrates nothing for --then %s', async (value, fault) => {
    expect(await exitCodeOf('migrate', '--then', value)).toBe(EXIT.usage);
    expect(said.join('')).toContain(fault);
  });
});

const VALUES = ['ada@example.com', '+1 555 0100', 'Bearer abc', '{"customer":'];

function postgres(code: string, message: string, more: object = {}): Error {
  const values = VALUES.join(' ');
  const fields = { code, detail: `Key (email)=(${values}) exists.`, where: values, hint: values, parameters: VALUES };
  return Object.assign(new Error(message), fields, more);
}

describe('report', () => {
  const quoting = `invalid input syntax for type integer: "${VALUES.join(' ')}"`;
  const shutDown = 'terminating connection due to administrator command';
  const duplicate = 'duplicate key value violates unique constraint "orders_pkey"';
  const raised = { routine: 'exec_stmt_raise' };

  it.each<[string, unknown, string]>([
    [
      'a lost commit',
      new CommitOutcomeUnknown(postgres('57P01', shutDown)),
      `The outcome of the commit is unknown: ${shutDown}`,
    ],
    [
      'a lost commit with a quoting cause',
      new CommitOutcomeUnknown(postgres('08006', quoting, raised)),
      'The outcome of the commit is unknown (08006)',
    ],
    ['a lost commit without a cause', new CommitOutcomeUnknown(null), 'The outcome of the commit is unknown'],
    ['an outage', new Unavailable({ cause: postgres('57P03', 'the database system is starting up') }), 'starting up'],
    [
      'a refused value',
      new UnusableValue({ cause: postgres('22P02', quoting) }),
      'The database refused a value (22P02)',
    ],
    [
      'a store that moves',
      new StoreMoved({ cause: postgres('SM001', quoting, raised) }),
      'moving to another database: try',
    ],
    ['a store that has moved', postgres('SM002', quoting, raised), 'has moved to another database: use that one'],
    ['an untranslated data error', postgres('22P02', quoting), '22P02'],
    ['a wrapped data error', new QueryFailedError('SELECT $1', VALUES, postgres('22007', quoting)), '22007'],
    ['an error raised by a function', postgres('23514', quoting, raised), '23514'],
    ['a violated constraint', postgres('23505', duplicate), duplicate],
    ['unreadable JSON', new SyntaxError(`Unexpected token in ${VALUES.join(' ')}`), 'SyntaxError'],
    ['a thrown string', VALUES.join(' '), 'not an error'],
    ['a refused connection', new AggregateError([], ''), 'AggregateError'],
    ['a missing resource', new NotFound('Order'), 'Order not found'],
    ['a failed command', new CommandFailed('Nothing was kept.'), 'Nothing was kept.'],
  ])('prints %s without values of rows and requests', (_name, error, text) => {
    report(error);

    expect(said.join('')).toContain(text);
    for (const value of VALUES) expect(said.join('')).not.toContain(value);
  });
});

/** These are C0, DEL, C1, marks of the writing direction, and separators of lines and paragraphs. */
const OBEYED = [0x00, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x9d, 0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0xfeff]
  .concat([0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])
  .map((code) => String.fromCharCode(code))
  .join('');
const STORED = `Åda 王\t${OBEYED}`;

describe('what a command prints', () => {
  it.each([
    ['JSON', printJson],
    ['a table', (text: string) => print([{ [text]: text }])],
    ['a record', (text: string) => print({ [text]: text, more: { [text]: text } })],
    ['words', say],
  ])('has no character that a terminal obeys, in %s', async (_, print) => {
    await withTerminal(true, () => print(STORED));

    expect(said.join('')).not.toMatch(new RegExp(`[${OBEYED}]`, 'u'));
    expect(said.join('')).toContain('Åda 王');
    expect(said.join('')).toContain('\\u009b');
  });

  it('is equal to what is stored when JSON is parsed', () => {
    printJson({ [STORED]: STORED });

    expect(JSON.parse(said.join(''))).toEqual({ [STORED]: STORED });
  });

  it('is a table on a terminal: cells of one line, and widths of code points', async () => {
    const rows = [
      { name: '😀 Åda', networks: ['192.0.2.0/24', '::1/128'], at: new Date(0), left: null },
      { name: 'A\nB\tC\u001b', networks: [], at: null, of: { a: 1 } },
    ];

    await withTerminal(true, () => print(rows));

    expect(said.join('').split('\n')).toEqual([
      'name           networks               at                of',
      '😀 Åda          192.0.2.0/24, ::1/128  1970-01-01 00:00',
      'A\\nB\\tC\\u001b                                           {"a":1}',
      '',
    ]);
  });

  it('has words of lists and times on several lines of a table that is wider than the terminal', async () => {
    const { columns } = process.stdout;
    process.stdout.columns = 24;

    await withTerminal(true, () => print([{ id: 1, scope: ['read', 'orders'], at: new Date(0) }]));
    process.stdout.columns = columns;

    expect(said.join('')).toBe('id  scope   at\n1   read,   1970-01-01\n    orders  00:00\n');
  });

  it('has the records of a table that is wider than the terminal one below the other', async () => {
    const { columns } = process.stdout;
    process.stdout.columns = 12;

    await withTerminal(true, () =>
      print([
        { id: 1, name: 'Acme' },
        { id: 2, name: 'A longer one' },
      ]),
    );
    process.stdout.columns = columns;

    expect(said.join('')).toBe('id    1\nname  Acme\n\nid    2\nname  A longer one\n');
  });

  it('is two columns for one record, with its own records below, and a word for an empty list', async () => {
    const order = { store: 'acme', error: 'x' };

    await withTerminal(true, () => {
      print({ id: 7, orders: [order], counts: { product: { created: 1 } }, subdomain: 'acme' });
      print([]);
    });

    expect(said.join('').split('\n')).toEqual([
      'id         7',
      'subdomain  acme',
      'orders:',
      '  store  error',
      '  acme   x',
      'counts:',
      '  product:',
      '    created  1',
      'none',
      '',
    ]);
  });

  it('passes through one file', () => {
    const sources = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ts$/.test(name));
    const writers = sources.filter((name) =>
      /std(out|err)\.write|console\./.test(
        readFileSync(path.join(__dirname, name), 'utf8').replace(/^\s*\/\/.*/gm, ''),
      ),
    );

    // program.ts passes on the messages of commander.
    expect(writers.filter((name) => !name.endsWith('.spec.ts')).sort()).toEqual(['output.ts', 'program.ts']);
  });
});
