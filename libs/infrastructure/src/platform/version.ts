import { existsSync, readFileSync } from 'node:fs';

/** The version in the project's package.json, which is above the sources and above the build, at different levels. */
export const VERSION = readVersion(new URL('.', import.meta.url));

function readVersion(directory: URL): string {
  const manifest = new URL('package.json', directory);
  if (existsSync(manifest)) return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  const parent = new URL('..', directory);
  if (parent.href === directory.href) throw new Error('There is no package.json above this file');
  return readVersion(parent);
}
