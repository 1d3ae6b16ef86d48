import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PublicFile } from '../serve-from-memory.js';

export const PAGES = {
  '': { title: 'API reference', file: null },
  guide: { title: 'Integration guide', file: 'docs/api.md' },
  questions: { title: 'Questions and requests', file: 'docs/questions.md' },
  erp: { title: 'ERP integration', file: 'docs/erp.md' },
  webhooks: { title: 'Webhooks', file: 'docs/webhooks.md' },
  'webhook-receivers': { title: 'Webhook receivers', file: 'docs/webhook-receivers.md' },
  glossary: { title: 'Glossary', file: 'docs/glossary.md' },
} as const;

export type PageName = keyof typeof PAGES;

export function stylesheet(name: string): PublicFile {
  return new PublicFile(readFileSync(path.join(import.meta.dirname, name)), 'text/css; charset=utf-8');
}

export const FRAME_STYLE = stylesheet('frame.css');

/** @param base the path of `/docs/`, relative to the page, so that the pages work under a proxy's prefix. */
export function framedPage(name: PageName, base: string, body: string, head = ''): PublicFile {
  const links = Object.entries(PAGES).map(([path, { title }]) => {
    const here = path === name ? ' aria-current="page"' : '';
    return `<a href="${path === '' ? `${base}index.html` : base + path}"${here}>${title}</a>`;
  });
  const html = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${PAGES[name].title} – Store Commerce API</title>
    <link rel="icon" type="image/png" href="${base}favicon-32x32.png">${head}
    <link rel="stylesheet" href="${base}frame.css?v=${FRAME_STYLE.version}">
  </head>
  <body>
    <header><nav aria-label="Documentation">${links.join('\n')}</nav></header>
    ${body}
  </body>
</html>
`;
  return new PublicFile(html, 'text/html; charset=utf-8');
}
