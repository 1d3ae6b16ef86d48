import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Route {
  readonly method: string;
  /** As the router has it, such as `/v1/orders/:id`. */
  readonly path: string;
}

const SCRIPT = path.resolve(import.meta.dirname, 'print-routes.mjs');

/** Every route of the build, asked of its own router. */
export async function routesOf(databaseUrl: string): Promise<Route[]> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT], { env });
  return readRoutes(stdout);
}

/** The router prints a tree: four characters a level, the methods in brackets. */
function readRoutes(tree: string): Route[] {
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const found = /^([│ ]*)[├└]── (\S*)(?: \(([^)]*)\))?/.exec(line);
    if (!found) return [];
    const [, indent = '', part = '', methods = ''] = found;
    const level = indent.length / 4;
    const route = `${level === 0 ? '' : (parents[level - 1] ?? '')}${part}`;
    parents[level] = route;
    return methods
      .split(', ')
      .filter((method) => method !== '')
      .map((method) => ({ method, path: route }));
  });
}
