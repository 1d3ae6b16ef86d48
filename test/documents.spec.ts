import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ANALYSIS_UNAVAILABLE, FRAUD_RULES } from '@app/domain';
import type { Command } from 'commander';
import { ERROR_CODE_TABLE } from '../apps/api/src/openapi/failures.js';
import { createProgram } from '../apps/cli/src/program.js';
import { COUNTED_FILTERS, requestsOf } from './bench/flatness/requests.js';
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

  it.each(documents)('%s calls only scripts that package.json has', (file) => {
    expect(unknownScripts(read(file))).toEqual([]);
  });

  it(`README.md has at most ${README_LINES} lines`, () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES);
  });

  it('docs/operations.md names every variable that the configuration reads, and no other', () => {
    const config = read('libs/infrastructure/src/platform/config.ts');
    const known = [...config.matchAll(/'([A-Z][A-Z_0-9]+)'|\benv\.([A-Z_]+)/g)].map(([, read, seen]) => read ?? seen);
    const [, section = ''] = /## Environment\n([^]*?)\n## /.exec(read('docs/operations.md')) ?? [];
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z_0-9]+)`/g)]);

    expect(named.map(([, name]) => name).sort()).toEqual([...new Set(known)].sort());
  });

  it('docs/operations.md names every command of the command line', () => {
    const operations = read('docs/operations.md');

    expect(commandsOf(createProgram()).filter((name) => !operations.includes(`\`${name}`))).toEqual([]);
  });

  it('docs/erp.md quotes its code from the recipes and their tests', () => {
    const unindented = (text: string) => text.replace(/^ +/gm, '');
    const files = ['examples/typescript-client/erp.ts', 'test/e2e/erp-recipes.spec.ts'];
    const code = unindented(files.map(read).join('\n'));
    const quoted = [...read('docs/erp.md').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = '']) => block);

    expect(quoted.length).toBeGreaterThanOrEqual(4);
    expect(quoted.filter((block) => !code.includes(unindented(block)))).toEqual([]);
  });

  it.each(['[a](missing.md)', '[a](README.md#no-such-heading)', '[a](#no-such-heading)'])(
    'the check of links notices %s',
    (link) => {
      expect(brokenLinks('README.md', link)).toHaveLength(1);
    },
  );

  it('the check of scripts notices a script that does not exist', () => {
    expect(unknownScripts('Run `npm run --silent nothing -- now`, then `npm run proof:<name>`.')).toEqual(['nothing']);
  });
});

describe('the requests of npm run bench:flat', () => {
  interface Document {
    readonly paths: Record<string, { readonly get?: { readonly parameters: readonly { name: string; in: string }[] } }>;
  }

  it('include each filter of a list that may grow with a store, except COUNTED_FILTERS', async () => {
    const { paths } = JSON.parse(read('docs/openapi.json')) as Document;
    const requests = await requestsOf({ query: () => Promise.resolve([]) }, 1);
    const asked = requests.map(({ path }) => new URL(path, 'http://localhost'));
    const filters = ['/v1/orders', '/v1/products', '/v1/skus', '/v1/customers'].flatMap((list) =>
      (paths[list]?.get?.parameters ?? [])
        .filter((parameter) => parameter.in === 'query' && !['limit', 'page'].includes(parameter.name))
        .map(({ name }) => ({ list, name })),
    );

    const missing = filters
      .filter(({ list, name }) => !asked.some((url) => url.pathname === list && url.searchParams.has(name)))
      .map(({ list, name }) => `GET ${list}?${name}`);
    expect(filters.length).toBeGreaterThan(8);
    expect(missing.sort()).toEqual([...COUNTED_FILTERS].sort());
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
