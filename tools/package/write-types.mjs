import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// The last part of `npm pack`: the declarations name the libraries as other packages do, by the exports of package.json.

for (const name of readdirSync('dist', { recursive: true }).filter((file) => file.endsWith('.d.ts'))) {
  const file = `dist/${name}`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(['"])@app\//g, '$1store-commerce/'));
}
