import { existsSync, readFileSync } from 'node:fs';

/** The directory of package.json. It is above both the sources and the build, but at different levels. */
export const PROJECT_ROOT = rootAbove(new URL('.', import.meta.url));

const manifest = readFileSync(new URL('package.json', PROJECT_ROOT), 'utf8');

export const { version: VERSION } = JSON.parse(manifest) as { version: string };

function rootAbove(directory: URL): URL {
  if (existsSync(new URL('package.json', directory))) return directory;
  const parent = new URL('..', directory);
  if (parent.href === directory.href) throw new Error('There is no package.json above this file');
  return rootAbove(parent);
}
