import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { unknownRoutes } from './plugins/07-unknown-routes.js';

/** The numbered files of a folder, in the order of their numbers. */
function numbered(folder: string): string[] {
  return readdirSync(join(__dirname, folder))
    .filter((name) => /^\d\d-.*(?<!\.spec)\.ts$/.test(name))
    .sort();
}

/** The numbered files that a source file imports, in the order in which its code names what it imports from them. */
function used(file: string, call: RegExp): string[] {
  const text = readFileSync(join(__dirname, file), 'utf8');
  const files = new Map(
    [...text.matchAll(/import \{ (\w+) \} from '[^']*\/(\d\d-[\w-]+)\.js';/g)].map(([, name, path]) => [
      name,
      `${path}.ts`,
    ]),
  );
  return [...text.matchAll(call)].flatMap(([, name]) => files.get(name) ?? []);
}

describe('the numbers of the HTTP stages', () => {
  it('give the order in which plugins are registered', () => {
    const [first, ...others] = numbered('plugins');

    expect(used('plugins.ts', /(?:register\(|^ {2})(\w+)[(),]/gm)).toEqual(others);
    expect(used('../create-app.ts', /register\((\w+)\)/g)).toEqual([first]);
  });

  it('give the order in which connections and requests pass the server', () => {
    const stages = used('server/create-server.ts', /^ {2}(?:let )?(?:serve = )?(\w+)\(/gm);
    const wrappers = stages.filter((file) => file >= '06').reverse(); // the last wrapper is the outermost

    expect([...stages.filter((file) => file < '06'), ...wrappers]).toEqual(numbered('server'));
  });

  it('are backed by dependencies: Fastify refuses to start without a plugin that another depends on', async () => {
    const server = fastify();

    await expect(async () => server.register(unknownRoutes)).rejects.toThrow(/dependency 'authentication'/);
  });
});
