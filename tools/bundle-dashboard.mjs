import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// This program builds apps/dashboard into dist/dashboard: a script, a style and the page that names them, each also
// compressed.

const SOURCE = 'apps/dashboard';
const OUT = path.resolve('dist/dashboard');

const { outputFiles, metafile } = await build({
  entryPoints: { main: `${SOURCE}/src/main.tsx`, style: `${SOURCE}/src/style.css` },
  outdir: OUT,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfigRaw: {},
  write: false,
  metafile: true,
  logLevel: 'warning',
});

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
let page = readFileSync(`${SOURCE}/index.html`, 'utf8');
for (const { path: file, contents } of outputFiles) {
  const { name, ext } = path.parse(file);
  const hashed = `${name}-${createHash('sha256').update(contents).digest('hex').slice(0, 12)}${ext}`;
  page = page.replace(`{${name}}`, hashed);
  write(hashed, contents);
}
write('index.html', page);

function write(name, content) {
  writeFileSync(path.join(OUT, name), content);
  writeFileSync(path.join(OUT, `${name}.br`), brotliCompressSync(content));
  writeFileSync(path.join(OUT, `${name}.gz`), gzipSync(content, { level: 9 }));
}

/** The files that the script was made of. */
export const dashboardInputs = Object.keys(metafile.inputs);
