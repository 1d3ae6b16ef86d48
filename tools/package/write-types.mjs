import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// This program is the last part of `npm pack`: it makes the declarations name the libraries by their location, like the
// compiled code. `exports` of package.json shows other packages only the public ones.

for (const name of readdirSync('dist', { recursive: true }).filter((file) => file.endsWith('.d.ts'))) {
  const file = path.join('dist', name);
  const place = path.posix.relative(path.posix.dirname(name.split(path.sep).join('/')), 'libs');
  const text = readFileSync(file, 'utf8').replace(/(['"])@app\/([^'"]+)/g, `$1${place}/$2/src/index.js`);
  writeFileSync(file, text);
}
