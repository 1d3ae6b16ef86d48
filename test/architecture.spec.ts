import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '..');

/** What production code in each folder may import besides itself. Everything else is a leak. */
const ALLOWED: Record<string, RegExp> = {
  'libs/domain': /^node:zlib$/,
  'libs/application': /^(@app\/domain|@nestjs\/common|uuid|node:crypto)$/,
  'libs/infrastructure':
    /^(@app\/(domain|application)|@nestjs\/(common|typeorm)|typeorm|pg|pg-copy-streams|csv-parse|@sinclair\/typebox|ajv\/dist\/.+|graphile-worker|nodemailer(\/.+)?|disposable-email-domains-js|pino|prom-client|@opentelemetry\/.+|uuid|node:.+)$/,
  'apps/api':
    /^(@app\/(domain|application|infrastructure)|@nestjs\/(common|core|platform-fastify|swagger|terminus)|class-validator|fastify|prom-client|reflect-metadata|node:.+)$/,
  'apps/worker': /^(@app\/(application|infrastructure)|@nestjs\/(common|core)|reflect-metadata|node:.+)$/,
  'apps/cli':
    /^(@app\/(domain|application|infrastructure)|@nestjs\/(common|core)|commander|cli-progress|reflect-metadata|node:.+)$/,
};

interface Import {
  readonly from: string;
  readonly target: string;
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .map((name) => join(ROOT, folder, 'src', name));
}

function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'));
  return importedFiles.map(({ fileName }) => ({ from: file, target: fileName }));
}

/** Imports of `folder` that are neither its own files nor allowed. */
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

/** The first chain of files, if any, that leads back to its start. */
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
    ['apps/api', '../../../libs/domain/src/index.js'],
  ])('would notice %s importing %s', (folder, target) => {
    const from = join(ROOT, folder, 'src', 'example.ts');

    expect(leaks(folder, [{ from, target }])).toEqual([`${relative(ROOT, from)} -> ${target}`]);
  });

  it('name every folder of apps and libs', () => {
    const folders = ['apps', 'libs'].flatMap((top) => readdirSync(join(ROOT, top)).map((name) => `${top}/${name}`));

    expect(folders.sort()).toEqual(Object.keys(ALLOWED).sort());
  });
});

describe('imports', () => {
  const graph = new Map(
    Object.keys(ALLOWED)
      .flatMap(sources)
      .map((file) => [
        relative(ROOT, file),
        importsOf(file)
          .filter(({ target }) => target.startsWith('.'))
          .map(({ target }) => join(dirname(file), target.replace(/\.js$/, '.ts')))
          .filter((target) => existsSync(target))
          .map((target) => relative(ROOT, target)),
      ]),
  );

  it('never go round in a circle', () => {
    expect(findCycle(graph)).toEqual([]);
  });

  it('would be noticed if they did', () => {
    const circle = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['b']],
    ]);

    expect(findCycle(circle)).toEqual(['b', 'd', 'b']);
  });

  it('never take a library apart: its barrel is for others, not for itself', () => {
    const own = [...graph.entries()].filter(([file, targets]) => {
      const library = /^libs\/[^/]+\/src\//.exec(file)?.[0];
      return library !== undefined && targets.includes(`${library}index.ts`);
    });

    expect(own.map(([file]) => file)).toEqual([]);
  });
});
