import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ANALYSIS_UNAVAILABLE, FRAUD_RULES } from '@app/domain';
import type { Command } from 'commander';
import { ERROR_CODE_TABLE } from '../apps/api/src/openapi/failures.js';
import { createProgram } from '../apps/cli/src/program.js';
import { byExample, type FlatRequest } from './bench/flatness/requests.js';
import { figuresOf } from './proof/support/figures.js';

const ROOT = path.join(__dirname, '..');
const README_LINES = 130;

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const markdownIn = (folder: string, recursive: boolean) =>
  readdirSync(path.join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name));
const documents = [
  ...markdownIn('.', false),
  ...['docs', 'examples', '.github'].flatMap((folder) => markdownIn(folder, true)),
];

/** The anchors that GitHub makes from the headings of a document. */
function anchors(text: string): string[] {
  const headings = text.matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The relative links of a document whose file or heading does not exist. */
function brokenLinks(file: string, text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [name = '', anchor] = target.split('#');
      const linked = name === '' ? file : path.join(path.dirname(file), name);
      if (!existsSync(path.join(ROOT, linked))) return true;
      return anchor !== undefined && !anchors(linked === file ? text : read(linked)).includes(anchor);
    })
    .map((target) => `${file}: ${target}`);
}

const REPOSITORY_PATH =
  /(?<![\w/.-])(?:apps|docs|docker|examples|libs|test|tools)\/(?:[\w/-]+\.\w[\w.-]*|[\w/-]+(?=`))/g;

/** The files and directories of this repository that a text names and that do not exist. */
function missingPaths(text: string): string[] {
  return [...text.matchAll(REPOSITORY_PATH)]
    .map(([name]) => name.replace(/\.$/, ''))
    .filter((name) => !existsSync(path.join(ROOT, name)));
}

/** The scripts that a text calls and package.json does not have. `proof:<name>` is a placeholder. */
function unknownScripts(text: string): string[] {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const called = [...text.matchAll(/npm run (?:--silent )?([a-z][a-z0-9:-]*[a-z0-9])(?![a-z0-9:<-])/g)];
  return called.map(([, name = '']) => name).filter((name) => !(name in scripts));
}

/** The names of all commands, such as `orders release`. */
function commandsOf(program: Command, prefix = ''): string[] {
  return program.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length > 0 ? commandsOf(command, `${name} `) : [name];
  });
}

describe('the documents', () => {
  it('list every error code with what to do about it', () => {
    expect(read('docs/api.md')).toContain(ERROR_CODE_TABLE);
  });

  it('list every rule of the fraud analysis with its score', () => {
    const rows = [...read('docs/api.md').matchAll(/^\| `(\w+)` \| (\d+) \| /gm)].map(([, rule, score]) => ({
      rule,
      score: Number(score),
    }));
    const rules = FRAUD_RULES.map(({ name, score }) => ({ rule: name, score }));

    expect(rows).toEqual([...rules, ...ANALYSIS_UNAVAILABLE.reasons]);
  });

  it.each(documents)('%s links only to files and headings that exist', (file) => {
    expect(brokenLinks(file, read(file))).toEqual([]);
  });

  it.each(documents)('%s names only files of the repository that exist', (file) => {
    expect(missingPaths(read(file))).toEqual([]);
  });

  it.each(documents)('%s calls only scripts that package.json has', (file) => {
    expect(unknownScripts(read(file))).toEqual([]);
  });

  it(`README.md has at most ${README_LINES} lines`, () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES);
  });

  it('docs/configuration.md names every variable that the configuration reads, and no other', () => {
    const config = read('libs/infrastructure/src/platform/config.ts');
    const known = [...config.matchAll(/'([A-Z][A-Z_0-9]+)'|\benv\.([A-Z_]+)/g)].map(([, read, seen]) => read ?? seen);
    const rows = read('docs/configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z_0-9]+)`/g)]);

    expect(named.map(([, name]) => name).sort()).toEqual([...new Set(known)].sort());
  });

  it('docs/command-line.md names every command of the command line', () => {
    const commandLine = read('docs/command-line.md');

    expect(commandsOf(createProgram()).filter((name) => !commandLine.includes(`\`${name}`))).toEqual([]);
  });

  it('docs/erp.md quotes its code from the recipes and their tests', () => {
    const unindented = (text: string) => text.replace(/^ +/gm, '');
    const files = ['examples/typescript-client/erp.ts', 'test/e2e/erp-recipes.spec.ts'];
    const code = unindented(files.map(read).join('\n'));
    const quoted = [...read('docs/erp.md').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = '']) => block);

    expect(quoted).toHaveLength(8);
    expect(quoted.filter((block) => !code.includes(unindented(block)))).toEqual([]);
  });

  it.each(['[a](missing.md)', '[a](README.md#no-such-heading)', '[a](#no-such-heading)'])(
    'the check of links notices %s',
    (link) => {
      expect(brokenLinks('README.md', link)).toHaveLength(1);
    },
  );

  it('the check of paths notices a file, and a directory in code', () => {
    expect(missingPaths('See docs/missing.md, `libs/missing`, test/ and `docker/.env`.')).toEqual([
      'docs/missing.md',
      'libs/missing',
    ]);
  });

  it('the check of scripts notices a script that does not exist', () => {
    expect(unknownScripts('Run `npm run --silent nothing -- now`, then `npm run proof:<name>`.')).toEqual(['nothing']);
  });
});

describe('the requests of npm run bench:flat', () => {
  it('include a filter that only the API document names, by its example', () => {
    const parameters = [
      { in: 'query', name: 'status', schema: { examples: ['PENDING'] } },
      { in: 'query', name: 'currency', schema: { examples: ['U S'] } },
      { in: 'query', name: 'limit', schema: { examples: [50] } },
      { in: 'header', name: 'Prefer', schema: { examples: ['x'] } },
    ];
    const asked: FlatRequest = { name: 'orders', kind: 'first page', path: '/v1/orders?status=PENDING' };

    expect(byExample({ paths: { '/v1/orders': { get: { parameters } } } }, [asked])).toEqual([
      { name: '/v1/orders by currency', kind: 'first page', path: '/v1/orders?currency=U%20S' },
    ]);
  });
});

describe('the figures of a proof', () => {
  it('are separated by semicolons, except inside brackets', () => {
    expect(figuresOf('20 rounds (1 unit; 2 + 1 units): 0 oversold; 3 × 503; 0 cut (none; at all)')).toEqual([
      '20 rounds (1 unit; 2 + 1 units): 0 oversold',
      '3 × 503',
      '0 cut (none; at all)',
    ]);
  });
});

describe('the files of docker/', () => {
  it('let the build of the image read the documents that the bundle has, and no other', () => {
    const bundled = [...read('tools/bundle.mjs').matchAll(/'(\w+\.md)'/g)].map(([, name]) => `!docs/${name}`);

    expect(bundled).toHaveLength(3);
    expect(read('.dockerignore').match(/^!docs.*/gm)).toEqual(bundled);
  });

  it('publish each port of the Compose stack at the loopback address only', () => {
    const published = [...readFileSync('docker/compose.yaml', 'utf8').matchAll(/^ +ports: (.*)/gm)];

    expect(published).toHaveLength(4);
    expect(published.filter(([, ports]) => !/^\['127\.0\.0\.1:[\d:-]+'\]$/.test(ports ?? ''))).toEqual([]);
  });

  it('give no pod a whole secret, and no volume without a limit', () => {
    const base = 'docker/kubernetes/base';
    const all = readdirSync(base).map((name) => readFileSync(`${base}/${name}`, 'utf8'));

    expect(all.join('\n')).not.toMatch(/secretRef:|emptyDir: \{\}/);
  });
});
