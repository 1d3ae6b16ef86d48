import { publicFile, type PublicFile } from '../http/serve-from-memory.js';

export const PAGES = {
  '': { title: 'API reference', file: null },
  guide: { title: 'Integration guide', file: 'docs/api.md' },
  erp: { title: 'ERP integration', file: 'docs/erp.md' },
  webhooks: { title: 'Webhooks', file: 'docs/webhooks.md' },
  'webhook-receivers': { title: 'Webhook receivers', file: 'docs/webhook-receivers.md' },
  glossary: { title: 'Glossary', file: 'docs/glossary.md' },
} as const;

export type PageName = keyof typeof PAGES;

export const FRAME_STYLE = publicFile(
  `
:root {
  color-scheme: light dark;
  --page: #fff; --text: #222; --link: #0b5cad; --line: #ccd3da; --code: #f1f4f7;
}
@media (prefers-color-scheme: dark) {
  :root { --page: #1c2022; --text: #e4e6e6; --link: #7ab8ff; --line: #545d61; --code: #2a2e30 }
}
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif }
body > header nav { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 10px 16px; background: #1b2733 }
body > header a { color: #fff }
body > header a[aria-current] { font-weight: 600; text-decoration: none }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
.guide { box-sizing: border-box; max-width: 1120px; margin: 0 auto; padding: 8px 16px 64px }
.guide a { color: var(--link) }
.guide > nav ul { padding-left: 20px }
.guide article { min-width: 0; overflow-wrap: break-word }
.guide .scroll { overflow-x: auto }
.guide table { border-collapse: collapse }
.guide :is(th, td) { padding: 6px 10px; border: 1px solid var(--line); text-align: left; vertical-align: top }
.guide td { min-width: 9ch }
.guide code { font: 0.9em/1.45 ui-monospace, monospace; background: var(--code) }
.guide pre { padding: 12px; overflow-x: auto; background: var(--code) }
@media (min-width: 960px) {
  .guide { display: grid; grid-template-columns: 230px minmax(0, 1fr); gap: 40px }
  .guide nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; font-size: 14px }
}
`,
  'text/css; charset=utf-8',
);

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
  return publicFile(html, 'text/html; charset=utf-8');
}
