import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { transformSync } from 'esbuild';
import { GUIDES, renderGuide } from './guides.mjs';

// This program builds dist/documentation: the reference page with Swagger UI, the guides of docs/api.md, a search over
// their headings, and what these pages load. Each file is also compressed. The API serves the folder unchanged.

const SOURCE = 'apps/documentation/src';
const OUT = path.resolve('dist/documentation');
const swaggerUi = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const assets = Object.fromEntries([
  ...['frame.css', 'reference.css', 'reference.js', 'search.js'].map((name) => {
    const source = readFileSync(`${SOURCE}/${name}`, 'utf8');
    return [name, transformSync(source, { loader: path.extname(name).slice(1), minify: true, target: 'es2022' }).code];
  }),
  ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'].map((name) => [
    name,
    readFileSync(path.join(swaggerUi, name)),
  ]),
]);

/** The version equals that of `PublicFile`: the API lets browsers keep a file with this URL for a year. */
const address = (base, name) =>
  `${base}${name}?v=${createHash('sha256').update(assets[name]).digest('base64url').slice(0, 16)}`;

const NAVIGATION = [
  ['index.html', 'API reference'],
  ['guide', 'Guides'],
  ['search', 'Search'],
];

/** @param base the path of `/docs/`, relative to the page, so that the pages work under a proxy's prefix. */
function framed({ title, here, body, base = './', head = '' }) {
  const links = NAVIGATION.map(([target, text]) => {
    const current = target === here ? ' aria-current="page"' : '';
    return `<a href="${base}${target}"${current}>${text}</a>`;
  });
  return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} – Store Commerce API</title>
    <link rel="icon" type="image/png" href="${base}favicon-32x32.png">${head}
    <link rel="stylesheet" href="${address(base, 'frame.css')}">
  </head>
  <body>
    <header><nav aria-label="Documentation">${links.join('\n')}</nav></header>
    ${body}
  </body>
</html>
`;
}

function reference(base) {
  const head = `
    <link rel="stylesheet" href="${address(base, 'swagger-ui.css')}">
    <link rel="stylesheet" href="${address(base, 'reference.css')}">
    <script src="${address(base, 'swagger-ui-bundle.js')}" defer></script>
    <script src="${address(base, 'reference.js')}"></script>`;
  const body = '<section class="unseen" aria-label="Page"><h1>API reference</h1></section><div id="swagger-ui"></div>';
  return framed({ title: 'API reference', here: 'index.html', body, base, head });
}

function pagesMenu(name) {
  const lists = [...new Set(GUIDES.map(({ group }) => group))].map((group) => {
    const items = GUIDES.filter((guide) => guide.group === group).map((guide) => {
      const current = guide.name === name ? ' aria-current="page"' : '';
      return `<li><a href="./${guide.name}"${current}>${guide.title}</a></li>`;
    });
    return `${group === '' ? '' : `<p>${group}</p>`}<ul>${items.join('')}</ul>`;
  });
  return `<nav aria-label="Guides">${lists.join('')}</nav>`;
}

function guidePage({ name, title, html, headings }) {
  const contents = headings.map(({ depth, id, html: text }) => {
    return `<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`;
  });
  const body = `<div class="guide"><nav aria-label="Contents"><p>On this page</p><ul>${contents.join('')}</ul></nav>
<main><article>${html}</article></main>
${pagesMenu(name)}</div>`;
  return framed({ title, here: name, body });
}

function searchPage(guides) {
  const rows = guides.flatMap(({ name, title, headings }) => [
    `<li><a href="./${name}">${title}</a></li>`,
    ...headings.map(({ id, html }) => `<li><a href="./${name}#${id}">${title}: ${html}</a></li>`),
  ]);
  const body = `<div class="guide search"><main><h1>Search</h1>
<label for="words">Words of a heading</label>
<input id="words" type="search" autocomplete="off" autofocus>
<p id="count" role="status"></p>
<ul id="headings">${rows.join('\n')}</ul></main></div>`;
  const head = `
    <script src="${address('./', 'search.js')}" defer></script>`;
  return framed({ title: 'Search', here: 'search', body, head });
}

const guides = GUIDES.map((guide) => ({ ...guide, ...renderGuide(guide) }));
const files = {
  ...assets,
  'docs.html': reference('./docs/'),
  'index.html': reference('./'),
  'search.html': searchPage(guides),
  ...Object.fromEntries(guides.map((guide) => [`${guide.name}.html`, guidePage(guide)])),
};
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const [name, content] of Object.entries(files)) {
  writeFileSync(path.join(OUT, name), content);
  if (name.endsWith('.png')) continue;
  writeFileSync(path.join(OUT, `${name}.br`), brotliCompressSync(content));
  writeFileSync(path.join(OUT, `${name}.gz`), gzipSync(content, { level: 9 }));
}
copyFileSync(path.join(swaggerUi, 'LICENSE'), path.join(OUT, 'LICENSE-swagger-ui'));
