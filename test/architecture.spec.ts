import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..');

/** What production code in each folder may import in addition to itself. Everything else is a leak. */
const ALLOWED: Record<string, RegExp> = {
  'libs/domain': /^node:(url|util|zlib)$/,
  'libs/application': /^(@app\/domain|@nestjs\/common|ipaddr\.js|uuid|node:crypto|node:net)$/,
  'libs/infrastructure':
    /^(@app\/(domain|application)|@nestjs\/(common|typeorm)|typeorm|pg|nodemailer(\/.+)?|ipaddr\.js|disposable-email-domains-js|openid-client|pino|prom-client|@opentelemetry\/.+|uuid|node:.+)$/,
  'libs/bundles':
    /^(@app\/(domain|application|infrastructure)|@nestjs\/common|@sinclair\/typebox|ajv(\/.+)?|pg|typeorm|uuid|node:.+)$/,
  'libs/demo-store': /^(@app\/bundles|node:.+)$/,
  'libs/health': /^(@app\/infrastructure|@nestjs\/(common|terminus)|node:.+)$/,
  'libs/representations': /^(@app\/(domain|application)|@nestjs\/(common|swagger)|@sinclair\/typebox)$/,
  'libs/startup': /^(@app\/infrastructure|@store-commerce\/embedded-postgres|node:.+)$/,
  'apps/api':
    /^(@app\/.+|@store-commerce\/embedded-postgres|@nestjs\/(common|core|platform-fastify|swagger)|@sinclair\/typebox|class-(validator|transformer)|@fastify\/etag|cookie|fastify|fastify-plugin|prom-client|reflect-metadata|rxjs|node:.+)$/,
  'apps/dashboard': /^(preact(\/hooks)?|@tanstack\/preact-query|@store-commerce\/client|openapi-fetch)$/,
  'apps/documentation': /^$/,
  'apps/worker': /^(@app\/.+|@nestjs\/(common|core)|reflect-metadata|node:.+)$/,
  'apps/cli': /^(@app\/.+|@nestjs\/(common|core)|commander|cli-progress|reflect-metadata|node:.+)$/,
  'packages/embedded-postgres': /^(pg|node:.+)$/,
  'packages/client': /^openapi-fetch$/,
  'packages/catalog-converter': /^(ajv\/.+|csv-parse|node:.+)$/,
};

/** The layers from the lowest. A module imports only lower layers; files outside the modules are the top layer. */
const LAYERS: readonly (readonly string[])[] = [
  ['platform'],
  ['postgres'],
  ['lists', 'mail'],
  ['audit'],
  ['access', 'feed', 'fraud', 'secrets', 'stock'],
  ['catalog', 'orders', 'stores', 'webhooks'],
  ['customers', 'health', 'worker'],
  ['.'],
];
const INFRASTRUCTURE = 'libs/infrastructure/src';

/**
 * Where SQL and SQLSTATEs may occur: PostgreSQL's own module, the adapters, and the bulk work that bypasses the ports.
 */
const SPEAKS_SQL =
  /^(libs\/bundles|packages\/embedded-postgres)\/src\/|^libs\/infrastructure\/src\/(postgres|lists|access|audit|catalog|customers|feed|fraud|health|mail|orders|secrets|stock|stores|webhooks|worker)\//;

interface Import {
  readonly from: string;
  readonly target: string;
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts'))
    .map((name) => join(ROOT, folder, 'src', name));
}

function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'));
  return importedFiles.map(({ fileName }) => ({ from: file, target: fileName }));
}

function leaks(folder: string, imports: Import[]): string[] {
  const allowed = ALLOWED[folder] as RegExp;
  return imports
    .filter(({ from, target }) =>
      target.startsWith('.')
        ? relative(join(ROOT, folder), join(dirname(from), target)).startsWith('..')
        : !allowed.test(target),
    )
    .map(({ from, target }) => `${relative(ROOT, from)} -> ${target}`);
}

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string[] => {
    const seen = path.indexOf(node);
    if (seen >= 0) return [...path.slice(seen), node];
    if (done.has(node)) return [];
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle.length > 0) return cycle;
    }
    done.add(node);
    return [];
  };
  for (const node of graph.keys()) {
    const cycle = visit(node, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

const files = new Map(
  Object.keys(ALLOWED)
    .flatMap(sources)
    .map((file) => [
      relative(ROOT, file),
      importsOf(file)
        .filter(({ target }) => target.startsWith('.'))
        .flatMap(({ target }) => ['.ts', '.tsx'].map((ext) => join(dirname(file), target.replace(/\.js$/, ext))))
        .filter((target) => existsSync(target))
        .map((target) => relative(ROOT, target)),
    ]),
);

function folders(graph: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const moduleOf = (file: string) => (/\/src\/[^/]+$/.test(file) ? file : dirname(file));
  const result = new Map<string, string[]>();
  for (const [file, targets] of graph) {
    const others = targets.map(moduleOf).filter((target) => target !== moduleOf(file));
    result.set(moduleOf(file), [...new Set([...(result.get(moduleOf(file)) ?? []), ...others])]);
  }
  return result;
}

/** Counts how many modules are stacked, each on what it imports. The graph must have no circles. */
function longestChain(graph: ReadonlyMap<string, readonly string[]>): number {
  const known = new Map<string, number>();
  const lengthFrom = (node: string): number => {
    const length = known.get(node) ?? 1 + Math.max(0, ...(graph.get(node) ?? []).map(lengthFrom));
    known.set(node, length);
    return length;
  };
  return Math.max(...[...graph.keys()].map(lengthFrom));
}

function climbs(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const moduleOf = (file: string) => {
    const path = relative(INFRASTRUCTURE, file).split(sep);
    return path.length > 1 ? (path[0] as string) : '.';
  };
  const layer = (name: string) => LAYERS.findIndex((modules) => modules.includes(name));
  return [...graph].flatMap(([file, targets]) =>
    file.startsWith(INFRASTRUCTURE)
      ? targets
          .filter((target) => moduleOf(target) !== moduleOf(file) && layer(moduleOf(target)) >= layer(moduleOf(file)))
          .map((target) => `${file} -> ${target}`)
      : [],
  );
}

const STATEMENT =
  /^\s*(?:\/\*.*?\*\/\s*)?(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+|DELETE\s+FROM\s|WITH\s+\w+(\s*\([^)]*\))?\s+AS\s|COPY\s|LOCK\s+TABLE\s)/;
/**
 * Matches the classes that the service meets; five characters of another class are more often a number than an
 * SQLSTATE.
 */
const SQLSTATE = /^(08|0A|2[0-8]|40|42|5[3578]|XX|P0)[0-9A-Z]{3}$/;

function sqlIn(text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const literal = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) ? node.text : null;
    if (literal !== null && (STATEMENT.test(literal) || SQLSTATE.test(literal)))
      found.push(literal.trim().slice(0, 40));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
  return found;
}

const HEADER = /\b[A-Z][a-z]*(-[A-Z][a-z]+)+\b/;
const FIELD_IN_A_SENTENCE = /^(?=.*\s).*\b[a-z]+(_[a-z]+)+\b/s;

function wireNamesIn(text: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    const literal = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) ? node.getText(source) : '';
    if (HEADER.test(literal) || FIELD_IN_A_SENTENCE.test(literal)) found.push(literal);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('the layers', () => {
  it.each(Object.keys(ALLOWED))('%s imports only its own files and what its layer may know', (folder) => {
    expect(leaks(folder, sources(folder).flatMap(importsOf))).toEqual([]);
  });

  it.each([
    ['libs/domain', '@nestjs/common'],
    ['libs/domain', '@app/application'],
    ['libs/application', 'typeorm'],
    ['libs/application', '@app/infrastructure'],
    ['libs/infrastructure', 'fastify'],
    ['libs/infrastructure', '@app/bundles'],
    ['packages/embedded-postgres', '@app/infrastructure'],
    ['packages/catalog-converter', 'store-commerce/domain'],
    ['packages/catalog-converter', '../../../libs/bundles/src/index.js'],
    ['libs/infrastructure', '@app/startup'],
    ['apps/api', '../../../libs/domain/src/index.js'],
    ['apps/dashboard', 'react'],
    ['apps/dashboard', '../../api/src/headers.js'],
    ['apps/dashboard', '../../../packages/client/src/api.js'],
    ['packages/client', 'node:crypto'],
  ])('the check notices %s importing %s', (folder, target) => {
    const from = join(ROOT, folder, 'src', 'example.ts');

    expect(leaks(folder, [{ from, target }])).toEqual([`${relative(ROOT, from)} -> ${target}`]);
  });

  it('the table names every folder of apps, libs and packages', () => {
    const present = ['apps', 'libs', 'packages'].flatMap((top) =>
      readdirSync(join(ROOT, top), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${top}/${name}`),
    );

    expect(present.sort()).toEqual(Object.keys(ALLOWED).sort());
  });
});

describe('the modules of the infrastructure', () => {
  it('import lower layers only', () => {
    expect(climbs(files)).toEqual([]);
  });

  it.each([
    ['platform', 'postgres'],
    ['orders', 'catalog'],
    ['stock', 'worker'],
  ])('the check notices %s importing %s', (from, to) => {
    const climb = new Map([[`${INFRASTRUCTURE}/${from}/a.ts`, [`${INFRASTRUCTURE}/${to}/b.ts`]]]);

    expect(climbs(climb)).toHaveLength(1);
  });

  it('the layers name every module', () => {
    const modules = readdirSync(join(ROOT, INFRASTRUCTURE), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );

    expect(['.', ...modules.map(({ name }) => name)].sort()).toEqual(LAYERS.flat().sort());
  });
});

describe('imports', () => {
  it('form no circle between files', () => {
    expect(findCycle(files)).toEqual([]);
  });

  it('never reach from a library into test/, specs included', () => {
    const files = readdirSync(join(ROOT, 'libs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );

    const reaching = files.filter((name) =>
      importsOf(join(ROOT, 'libs', name)).some(({ target }) => /^(\.\.\/)+test\//.test(target)),
    );
    expect(reaching).toEqual([]);
  });

  it('form no circle between folders', () => {
    expect(findCycle(folders(files))).toEqual([]);
  });

  // Code that every folder needs belongs in a folder at the end of the chain.
  it('form chains of at most nine folders in the API', () => {
    expect(
      longestChain(folders(new Map([...files].filter(([file]) => file.startsWith('apps/api/'))))),
    ).toBeLessThanOrEqual(9);
  });

  it('the check measures the longest chain', () => {
    const graph = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['d']],
      ['d', []],
    ]);

    expect(longestChain(graph)).toBe(4);
  });

  it('the check notices a circle', () => {
    const circle = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);

    expect(findCycle(circle)).toEqual(['b', 'd', 'b']);
  });

  it('the check notices a circle of folders without a circle of files', () => {
    const graph = new Map([
      ['apps/x/src/a/one.ts', ['apps/x/src/b/one.ts']],
      ['apps/x/src/b/two.ts', ['apps/x/src/a/two.ts']],
    ]);

    expect(findCycle(graph)).toEqual([]);
    expect(findCycle(folders(graph))).toHaveLength(3);
  });

  it('never reach a library through its own barrel', () => {
    const own = [...files].filter(([file, targets]) => {
      const library = /^libs\/[^/]+\/src\//.exec(file)?.[0];
      return library !== undefined && targets.includes(`${library}index.ts`);
    });

    expect(own.map(([file]) => file)).toEqual([]);
  });
});

describe('what the package shows to applications of other teams', () => {
  it('is the public.ts of libraries and applications', () => {
    const { exports: faces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, Record<string, string>>;
    };
    const shown = Object.entries(faces).flatMap(([name, places]) =>
      Object.values(places).filter(
        (place) => !new RegExp(`^./dist/(apps|libs)${name.slice(1)}/src/public\\.`).test(place),
      ),
    );

    expect(shown).toEqual([]);
  });

  it('is listed in docs/public-api.md (npm run generate writes it)', () => {
    const current = execFileSync(process.execPath, ['tools/public-api.mjs'], { cwd: ROOT, encoding: 'utf8' });

    expect(readFileSync(join(ROOT, 'docs/public-api.md'), 'utf8')).toBe(current);
  });
});

describe('SQL and SQLSTATEs', () => {
  it("stand in PostgreSQL's module, the adapters and the bulk libraries only", () => {
    const elsewhere = [...files.keys()]
      .filter((file) => !SPEAKS_SQL.test(file))
      .flatMap((file) => sqlIn(readFileSync(join(ROOT, file), 'utf8')).map((text) => `${file}: ${text}`));

    expect(elsewhere).toEqual([]);
  });

  it.each(['`SELECT 1 FROM orders WHERE store_id = ${id}`', "'\\n  UPDATE stock SET quantity = 1'", "'57014'"])(
    'the check notices %s',
    (literal) => {
      expect(sqlIn(`const text = ${literal};`)).toHaveLength(1);
    },
  );
});

function wirePropertiesIn(text: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    const isProperty = ts.isPropertyAssignment(node) || ts.isPropertySignature(node) || ts.isPropertyDeclaration(node);
    const name = isProperty || ts.isShorthandPropertyAssignment(node) ? node.name.getText(source) : '';
    if (/^[a-z]+(_[a-z]+)+$/.test(name)) found.push(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Declares the fields of an address for all layers: a field has one name everywhere. */
const DECLARES_ADDRESSES = 'libs/domain/src/shared/postal-address.ts';

describe('names of the wire', () => {
  it('name no property of the domain, except the fields of an address', () => {
    const found = [...files.keys()]
      .filter((file) => file.startsWith('libs/domain/') && file !== DECLARES_ADDRESSES)
      .flatMap((file) => wirePropertiesIn(readFileSync(join(ROOT, file), 'utf8')).map((name) => `${file}: ${name}`));

    expect(found).toEqual([]);
  });

  it.each(['{ refund_due: 1 }', '{ total_amount }'])('the check notices the property of %s', (literal) => {
    expect(wirePropertiesIn(`const details = ${literal};`)).toHaveLength(1);
  });

  it('stand in no message of the domain and the use cases', () => {
    const found = [...files.keys()]
      .filter((file) => /^libs\/(domain|application)\//.test(file))
      .flatMap((file) => wireNamesIn(readFileSync(join(ROOT, file), 'utf8')).map((text) => `${file}: ${text}`));

    expect(found).toEqual([]);
  });

  it.each(["'This Idempotency-Key is in use'", "'X-Error-Code'", '`items[${line}] without variant_id`'])(
    'the check notices %s',
    (literal) => {
      expect(wireNamesIn(`const text = ${literal};`)).toHaveLength(1);
    },
  );

  it.each(["'out_of_stock'", '`${contact}_velocity_high`', "'Not enough stock'"])(
    'the check lets %s pass',
    (literal) => {
      expect(wireNamesIn(`const text = ${literal};`)).toEqual([]);
    },
  );
});
