import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TAG = /(?:\/\/|--|\/\*) @protects ([a-z-]+)(?: \*\/)?$/;

export interface Place {
  readonly file: string;
  readonly line: number;
}

export function tagsIn(root: string): ReadonlyMap<string, readonly Place[]> {
  const found = new Map<string, Place[]>();
  for (const folder of ['apps', 'libs']) {
    const names = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((file) => /\.(?:ts|sql)$/.test(file))) {
      const file = path.join(folder, name);
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n');
      for (const [index, line] of lines.entries()) {
        const tag = TAG.exec(line)?.[1];
        if (tag !== undefined) found.set(tag, [...(found.get(tag) ?? []), { file, line: index + 1 }]);
      }
    }
  }
  return found;
}
