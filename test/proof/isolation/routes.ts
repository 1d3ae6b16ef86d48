import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

export interface Route {
  readonly method: string;
  readonly path: string;
}

const SCRIPT = path.resolve(import.meta.dirname, 'print-routes.mjs');

export async function routesOf(databaseUrl: string): Promise<Route[]> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: databaseUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT], { env });
  return readRoutes(stdout);
}

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
