import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ANALYSIS_UNAVAILABLE, FRAUD_RULES } from '@app/domain';
import type { Command } from 'commander';
import ts from 'typescript';
import { ERROR_CODES } from '../apps/api/src/errors/request-errors.js';
import { createProgram } from '../apps/cli/src/program.js';
import { anchorOf, GUIDES } from '../tools/guides.mjs';
import { byExample, type FlatRequest } from './bench/flatness/requests.js';
import { NAMED_PROOFS } from './proof/proofs.js';
import { committedDocument } from './support/documented-answers.js';

const ROOT = path.join(__dirname, '..');
const README_LINES = 130;

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const markdownIn = (folder: string, recursive: boolean) =>
  readdirSync(path.join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name));
const documents = [
  ...markdownIn('.', false),
  ...['docs', 'examples', 'packages', '.github'].flatMap((folder) => markdownIn(folder, true)),
];

function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

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

const FOLDERS = ['apps', 'docs', 'docker', 'examples', 'libs', 'packages', 'test', 'tools'];
const REPOSITORY_PATH = new RegExp(`(?<![\\w/.<@-])(?:${FOLDERS.join('|')})/\\w[\\w./-]*`, 'g');
/**
 * Matches the name of a code file without its folder. A hyphen distinguishes it from a property, such as `where.sql`.
 */
const FILE_NAME = /(?<![\w./<-])\w[\w.]*-[\w.-]*\.(?:ts|mjs|cjs)\b/g;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
).filter((file) => !file.includes('node_modules'));
const fileNames = new Set(files.map((file) => path.basename(file)));

function missingPaths(text: string): string[] {
  const paths = [...text.matchAll(REPOSITORY_PATH)].map(([name]) => name.replace(/[./]+$/, ''));
  const names = [...text.matchAll(FILE_NAME)].map(([name]) => name);
  return [
    ...paths.filter((name) => !existsSync(path.join(ROOT, name))),
    ...names.filter((name) => !fileNames.has(name)),
  ];
}

function missingSections(text: string): string[] {
  return [...text.matchAll(/(docs\/[\w/-]+\.md)`? \("([^"]+)"\)/g)]
    .filter(([, file = '', heading = '']) => !anchors(read(file)).includes(anchorOf(heading)))
    .map(([reference]) => reference);
}

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  proof: [...NAMED_PROOFS.map(({ name }) => name), 'mutants'],
  bench: ['dashboard', 'flat', 'mixture', 'webhooks'],
};

function unknownScripts(text: string): string[] {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const called = [...text.matchAll(/npm run (?:--silent )?([a-z][a-z0-9:-]*[a-z0-9])(?: -- ([a-z][a-z-]*[a-z]))?/g)];
  return called
    .filter(([, name = '', program]) => !(name in scripts) || (program && PROGRAMS[name]?.includes(program) === false))
    .map(([, name = '', program]) => (name in scripts ? `${name} -- ${program}` : name));
}

function commandsOf(program: Command, prefix = ''): { readonly name: string; readonly command: Command }[] {
  return program.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    return command.commands.length > 0 ? commandsOf(command, `${name} `) : [{ name, command }];
  });
}
const commands = commandsOf(createProgram());

function unknownOptions(text: string): string[] {
  return commands.flatMap(({ name, command }) => {
    const known = command.options.map(({ long }) => long);
    const calls = text.replace(/\\\n */g, ' ').matchAll(new RegExp(`(?:\`|store-commerce )${name}( [^\`\\n]*)`, 'g'));
    return [...calls]
      .flatMap(([, rest = '']) => rest.match(/--[a-z][a-z-]+/g) ?? [])
      .filter((option) => !known.includes(option))
      .map((option) => `${name} ${option}`);
  });
}

const config = read('libs/infrastructure/src/platform/config.ts');
const variables = [...config.matchAll(/'([A-Z][A-Z_0-9]+)'|\benv\.([A-Z_]+)/g)].map(([, one, other]) => one ?? other);
const code = files
  .filter((file) => file !== 'test/documents.spec.ts' && /\.(?:ts|mjs|ya?ml|cfg)$/.test(file))
  .map(read)
  .join('\n');

function unknownVariables(text: string): string[] {
  const words = new Set(variables.map((name) => name?.split('_')[0]));
  return [...text.matchAll(/(?<![\w-])([A-Z][A-Z0-9]*)(?:_[A-Z0-9]+)+\b/g)]
    .filter(([name, word]) => words.has(word) && !code.includes(name))
    .map(([name]) => name);
}

const AVOIDED =
  /\b(?:told|tells?\s+of|whoever|nobody|somebody|anew|beside|mend(?:s|ed|ing)?|leads?\s+to|stands\s+in|belongs?\s+into|of\s+(?:its|their)\s+own|meanwhile|in\s+turn)\b/gi;
/** Matches code, and the account that PostgreSQL may run as. */
const EXEMPT = /^```[^]*?^```|`[^`]*`|"nobody"|^nobody$/gm;
/** Programs write these two. */
const MEASURED = ['docs/promises.md', 'docs/benchmarks.md'];

const avoidedWords = (text: string) => text.replace(EXEMPT, '').match(AVOIDED) ?? [];

function literalsOf(source: string): string[] {
  const texts: string[] = [];
  const collect = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, collect);
  };
  collect(ts.createSourceFile('', source, ts.ScriptTarget.Latest));
  return texts;
}

/**
 * Finds comments by their text, including those of SQL inside strings. Line comments on consecutive lines are one
 * comment. It returns each without its markers.
 */
const COMMENT = /\/\*+([^]*?)\*\/|(?<=^[ \t]*)((?:\/\/|--) .*(?:\n[ \t]*(?:\/\/|--) .*)*)|(?<=\s)((?:\/\/|--) .*)/gm;
const commentsIn = (source: string): string[] =>
  [...source.matchAll(COMMENT)].map(([, block, lines, rest]) =>
    (block ?? lines ?? rest ?? '').replace(/^[ \t]*(?:\/\/|--|\*)/gm, '').trim(),
  );

/**
 * A comment that begins with one of these words usually has no subject and no verb, such as "Of one store". A program
 * cannot tell the exceptions reliably, and each of them can begin with another word, so all are refused.
 */
const WITHOUT_SUBJECT = /^(?:Of|By|As|Those|One|Neither|None)\b/;

describe('the documents', () => {
  it('list every error code with what to do about it', () => {
    const row = /^\| (\d{3}) \| `(\w+)` \| [^|]{10,} \| [^|]{10,} \|$/gm;
    const listed = [...read('docs/api/errors.md').matchAll(row)].map(([, status, code]) => `${status} ${code}`);
    const { paths } = committedDocument();
    const answers = Object.values(paths).flatMap((path) =>
      Object.values(path).flatMap(({ responses = {} }) => Object.entries(responses)),
    );
    const returned = answers.flatMap(([status, { headers = {} }]) =>
      (headers['X-Error-Code']?.schema?.enum ?? []).map((code) => `${status} ${code}`),
    );

    expect(listed.map((text) => text.slice(4)).sort()).toEqual([...ERROR_CODES].sort());
    // The routes of the dashboard are not part of the document.
    returned.push('422 sign_in_invalid', '422 address_not_private');
    expect(listed.filter((text) => !returned.includes(text))).toEqual([]);
  });

  it('list every rule of the fraud analysis with its score', () => {
    const rows = [...read('docs/api/order-status.md').matchAll(/^\| `(\w+)` \| (\d+) \| /gm)].map(
      ([, rule, score]) => ({
        rule,
        score: Number(score),
      }),
    );
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

  it.each(documents)('%s names only sections, options of commands and variables that exist', (file) => {
    const text = read(file);

    expect([missingSections(text), unknownOptions(text), unknownVariables(text)]).toEqual([[], [], []]);
  });

  it.each(documents.filter((file) => !MEASURED.includes(file)))('%s avoids the words of a translation', (file) => {
    expect(avoidedWords(read(file))).toEqual([]);
  });

  it(`README.md has at most ${README_LINES} lines`, () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(README_LINES);
  });

  it('docs/glossary.md explains each term once', () => {
    const terms = [...read('docs/glossary.md').matchAll(/^\| ([^|]+) \| (?!meaning|---)/gm)].map(([, term]) => term);

    expect(terms.length).toBeGreaterThan(50);
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
  });

  it('docs/configuration.md names every variable that the configuration reads, and no other', () => {
    const rows = read('docs/configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([A-Z_0-9]+)`/g)]);

    expect(named.map(([, name]) => name).sort()).toEqual([...new Set(variables)].sort());
  });

  it('docs/command-line.md names every command of the command line', () => {
    const commandLine = read('docs/command-line.md');

    expect(commands.filter(({ name }) => !commandLine.includes(`\`${name}`))).toEqual([]);
  });

  it('docs/erp.md quotes its code from the recipes and their tests', () => {
    const unindented = (text: string) => text.replace(/^ +/gm, '');
    const client = readdirSync(path.join(ROOT, 'packages/client/src')).map((name) => `packages/client/src/${name}`);
    const files = [...client, 'test/e2e/erp-recipes.spec.ts'];
    const code = unindented(files.map(read).join('\n'));
    const quoted = [...read('docs/erp.md').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = '']) => block);

    expect(quoted).toHaveLength(31);
    expect(quoted.filter((block) => !code.includes(unindented(block)))).toEqual([]);
  });

  it.each(['[a](missing.md)', '[a](README.md#no-such-heading)', '[a](#no-such-heading)'])(
    'the check of links notices %s',
    (link) => {
      expect(brokenLinks('README.md', link)).toHaveLength(1);
    },
  );

  it('the check of paths notices a file with and without its folder, and a folder', () => {
    expect(missingPaths('See docs/missing.md, libs/missing, test/, `docker/.env` and `no-such.spec.ts`.')).toEqual([
      'docs/missing.md',
      'libs/missing',
      'no-such.spec.ts',
    ]);
  });

  it('the checks of sections, options and variables notice what does not exist', () => {
    expect(missingSections('docs/api/lists.md ("Filters") and `docs/api/lists.md` ("Queues")')).toEqual([
      'docs/api/lists.md` ("Queues")',
    ]);
    expect(unknownOptions('`keys create --store x --colour red`\nnpx store-commerce import \\\n  --wet x')).toEqual([
      'keys create --colour',
      'import --wet',
    ]);
    expect(unknownVariables('`DATABASE_POOL_SIZE`, `DATABASE_MISSING`')).toEqual(['DATABASE_MISSING']);
  });

  it('the check of scripts notices a script that does not exist', () => {
    const text =
      'Run `npm run --silent nothing -- now`, then `npm run proof -- nothing`, then `npm run proof -- stock`.';

    expect(unknownScripts(text)).toEqual(['nothing', 'proof -- nothing']);
  });
});

describe('the comments of the code', () => {
  const comments = files
    .filter((file) => /\.(?:ts|mjs|mts|cjs)$/.test(file))
    .map((file) => ({ file, text: (read(file).match(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g) ?? []).join('\n') }));

  it('name only files, sections and scripts that exist', () => {
    const faults = comments.flatMap(({ file, text }) =>
      [...missingPaths(text), ...missingSections(text), ...unknownScripts(text)].map((fault) => `${file}: ${fault}`),
    );

    expect(comments.length).toBeGreaterThan(500);
    expect(faults).toEqual([]);
  });

  it('begin with their subject or their verb', () => {
    const isWritten = (file: string) => !file.includes('/dist/') && file !== 'packages/client/src/api.ts';
    const sources = files.filter((file) => /\.(?:[cm]?[jt]s|tsx|sql)$/.test(file) && isWritten(file));
    const found = sources.flatMap((file) => commentsIn(read(file)).map((comment) => ({ file, comment })));

    expect(found.length).toBeGreaterThan(5_000);
    expect(found.filter(({ comment }) => WITHOUT_SUBJECT.test(comment))).toEqual([]);
  });

  it.each([
    ['a block', '/** ', 'Of one store. */'],
    ['a block of several lines', '/**\n * ', 'As for orders.\n * @throws NotFound\n */'],
    ['a line', '  // ', 'By id.\n  // By name.\n'],
    ['the end of a line', 'const a = 1; // ', 'Those of now.'],
    ['the end of a line of SQL', 'id int, -- ', 'One for each store.'],
  ])('are found in %s', (_where, marker, text) => {
    const found = commentsIn(`${marker}${text}`);

    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(WITHOUT_SUBJECT);
  });

  it('may have these words elsewhere', () => {
    const source = `// ${'Sorted by name.'}\n// ${'By id where names are equal.'}\nread(a --b, 'x//y');`;

    expect(commentsIn(source).filter((comment) => WITHOUT_SUBJECT.test(comment))).toEqual([]);
  });
});

describe('the messages of the code', () => {
  const production = files.filter((file) => /^(?:apps|libs|packages)\/.*(?<!\.spec|\.d)\.ts$/.test(file));

  it('avoid the words of a translation', () => {
    const found = production.flatMap((file) =>
      literalsOf(read(file)).flatMap((text) => avoidedWords(text).map((word) => `${file}: ${word}`)),
    );

    expect(production.length).toBeGreaterThan(400);
    expect(found).toEqual([]);
  });

  it('are read from every kind of string, and not from comments or code', () => {
    const source = "const told = f('is told', `nobody ${anew} beside ${mend} meanwhile`, `in turn`); // whoever";

    expect(literalsOf(source).flatMap(avoidedWords)).toEqual(['told', 'nobody', 'beside', 'meanwhile', 'in turn']);
    expect(avoidedWords('`told` and a schema of its\nown')).toEqual(['of its\nown']);
  });
});

describe('the requests of npm run bench -- flat', () => {
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

describe('the documents that are served', () => {
  it('are the index of the guide, each of its pages and what else it links to', () => {
    const files = GUIDES.map(({ file }) => file);

    expect(files.filter((file) => file.startsWith('docs/api/')).sort()).toEqual(markdownIn('docs/api', false).sort());
    expect(files).toEqual([...new Set(files)]);
    expect(new Set(GUIDES.map(({ name }) => name)).size).toBe(files.length);
  });

  it('are in the context of the image, with no other', () => {
    const served = GUIDES.map(({ file }) => file.replace(/^(docs\/api)\/.*/, '$1'));

    expect(read('.dockerignore').match(/^!docs.*/gm)).toEqual([...new Set(served)].sort().map((file) => `!${file}`));
  });
});

describe('the files of docker/', () => {
  it('publish each port of the Compose stack at the loopback address only', () => {
    const published = [...readFileSync('docker/compose.yaml', 'utf8').matchAll(/^ +ports: (.*)/gm)];

    expect(published).toHaveLength(4);
    expect(published.filter(([, ports]) => !/^\['127\.0\.0\.1:[\d:-]+'\]$/.test(ports ?? ''))).toEqual([]);
  });

  it('replace or delete every header that the service believes of a proxy', () => {
    for (const file of ['docker/haproxy/haproxy.cfg', 'docker/kubernetes/overlays/production/ingress.yaml']) {
      const text = read(file);
      for (const name of ['X-Forwarded-For %[src]', 'X-Forwarded-Proto https', 'del-header X-Forwarded-Host']) {
        expect([file, text.includes(name)]).toEqual([file, true]);
      }
    }
  });

  it('give no pod a whole secret, and no volume without a limit', () => {
    const base = 'docker/kubernetes/base';
    const all = readdirSync(base).map((name) => readFileSync(`${base}/${name}`, 'utf8'));

    expect(all.join('\n')).not.toMatch(/secretRef:|emptyDir: \{\}/);
  });
});
