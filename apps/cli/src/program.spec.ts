import { EXIT, report } from './failures.js';
import { createProgram } from './program.js';

const ID = '01a20066-13fe-7403-821d-09fa5dc281da';

let said: string[];

beforeEach(() => {
  said = [];
  const keep = (text: string | Uint8Array) => said.push(String(text)) > 0;
  jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  jest.spyOn(process.stdout, 'write').mockImplementation(keep);
});

afterEach(() => jest.restoreAllMocks());

/** The exit code of a command line that is refused, or answered, before a database is needed. */
async function exitCodeOf(...args: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
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
    ['a roll without an overlap', `keys roll ${ID}`],
    ['an overlap without a unit', `keys roll ${ID} --overlap 7`],
    ['an overlap in words', `keys roll ${ID} --overlap week`],
    ['no overlap', `keys roll ${ID} --overlap 0d`],
    ['an overlap of more than 90 days', `keys roll ${ID} --overlap 91d`],
    ['an overlap of more than 90 days in seconds', `keys roll ${ID} --overlap 7776001s`],
    ['a roll of an id that is none', 'keys roll 7 --overlap 7d'],
    ['a moment in the past', 'keys create --store acme --expires-at 2020-01-01T00:00:00Z'],
    ['a moment in words', 'keys create --store acme --expires-at tomorrow'],
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
    ['a replay from a time in words', `webhooks replay ${ID} --from yesterday`],
    ['a replay from a time without its zone', `webhooks replay ${ID} --from 2026-11-20T09:30`],
    ['a secret that signs for more than 7 days', `webhooks rotate-secret ${ID} --overlap 8d`],
  ])('is refused as wrong usage for %s, with words', async (_, line) => {
    expect(await exitCodeOf(...line.split(' ').filter(Boolean))).toBe(EXIT.usage);
    expect(said.join('')).toMatch(/error: |Usage: /);
  });

  it.each([
    ['--store <S>', 'keys create --store acme --store other'],
    ['--name <N>', 'keys create --store acme --name A --mode test --name A'],
    ['--mode <mode>', 'keys create --store acme --mode live --mode test'],
    ['--days <N>', 'keys usage --days 7 --days=8'],
    ['--all', 'orders release --all --all --reason email_velocity'],
    ['--status <P>', 'orders set-status WEB-1 --status FAILED --status PENDING'],
    ['--kinds <kinds>', 'webhooks create --store a --url https://example.com --kinds orders --kinds products'],
  ])('refuses a second %s by name', async (flags, line) => {
    expect(await exitCodeOf(...line.split(' '))).toBe(EXIT.usage);
    expect(said.join('')).toContain(`error: option '${flags}' is given more than once\n`);
  });

  it.each([
    ['10.0.0.1/8', "Give 10.0.0.0/8 or 10.0.0.1/32 instead of '10.0.0.1/8'."],
    ['::ffff:10.0.0.0/104', "Give 10.0.0.0/8 instead of '::ffff:10.0.0.0/104'."],
    ['10.0', "Give networks such as 192.0.2.0/24,2001:db8::/32 instead of '10.0'."],
  ])('says what the network %s may mean', async (network, remedy) => {
    expect(await exitCodeOf('keys', 'create', '--store', 'a', '--from', network)).toBe(EXIT.usage);
    expect(said.join('')).toContain(remedy);
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
    const refusal = 'error: Give a name of 1 to 200 characters on one line, without control characters.\n';

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

    expect(said.join('')).toBe('error: Give an e-mail.\n');
  });

  it('asks for the id of a key, in words', async () => {
    await exitCodeOf('keys', 'revoke', '7');

    expect(said.join('')).toBe('error: Give the id of a key, as `keys list` shows it.\n');
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

  it('refuses a reason that is no name of a rule', async () => {
    expect(await exitCodeOf('orders', 'list', '--held', '--reason', 'e-mail')).toBe(EXIT.usage);
    expect(said.join('')).toContain('Give the name of a rule, such as email_velocity.');
  });

  it.each([
    ['loyalty', 'Give a schema and a directory'],
    ['public=.', 'public cannot be the schema of an extension'],
    ['loyalty=docs', 'No migrations in'],
    ['loyalty=missing', 'ENOENT'],
  ])('migrates nothing for --then %s', async (value, fault) => {
    expect(await exitCodeOf('migrate', '--then', value)).toBe(EXIT.usage);
    expect(said.join('')).toContain(fault);
  });
});
