import { publicFile, type PublicFile } from '../http/serve-from-memory.js';

/** The pages in the order of the navigation, by their path below `/docs`. The first one is the API reference. */
export const PAGES = {
  '': { title: 'API reference', file: null },
  guide: { title: 'Integration guide', file: 'docs/api.md' },
  erp: { title: 'ERP integration', file: 'docs/erp.md' },
  glossary: { title: 'Glossary', file: 'docs/glossary.md' },
} as const;

export type PageName = keyof typeof PAGES;

export const FRAME_STYLE = publicFile(
  `
*, *::before, *::after { box-sizing: border-box }
body { margin: 0; background: #fff; color: #222; font: 16px/1.55 system-ui, sans-serif }
a { color: #0b5cad }
body > header nav { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 10px 16px; background: #1b2733 }
body > header a { color: #fff }
body > header a[aria-current] { font-weight: 600; text-decoration: none }
.guide { max-width: 1120px; margin: 0 auto; padding: 8px 16px 64px }
.guide > nav ul { padding-left: 20px }
.guide article { min-width: 0; overflow-wrap: break-word }
/* A shadow at each side where more of the table is hidden. */
.scroll {
  overflow-x: auto;
  background:
    linear-gradient(90deg, #fff 30%, #fff0) 0 / 48px 100% no-repeat local,
    linear-gradient(270deg, #fff 30%, #fff0) 100% / 48px 100% no-repeat local,
    linear-gradient(90deg, #0004, #0000) 0 / 16px 100% no-repeat,
    linear-gradient(270deg, #0004, #0000) 100% / 16px 100% no-repeat;
}
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
table { border-collapse: collapse }
th, td { padding: 6px 10px; border: 1px solid #ccd3da; text-align: left; vertical-align: top }
td { min-width: 9ch }
.guide code { font: 0.9em/1.45 ui-monospace, monospace; background: #f1f4f7 }
.guide pre { padding: 12px; overflow-x: auto; background: #f1f4f7 }
@media (min-width: 960px) {
  .guide { display: grid; grid-template-columns: 230px minmax(0, 1fr); gap: 40px }
  .guide nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; font-size: 14px }
}
/* Colours with the contrast that WCAG asks for. The only server is the one that the page comes from. */
.swagger-ui .servers, .swagger-ui .servers-title { display: none }
.swagger-ui .info .url, .swagger-ui .info a, .swagger-ui .info a .url { color: #0b5cad }
.swagger-ui .json-schema-2020-12-expand-deep-button { color: #3b4151 }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #0b5cad }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14713d }
.swagger-ui .btn.authorize { border-color: #14713d; color: #14713d }
.swagger-ui .btn.authorize span { color: #14713d }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #3b4151 }
.swagger-ui .parameter__in, .swagger-ui table.headers .header-example { color: #3b4151 }
/* Numbers, whose colour is inline. */
.swagger-ui .microlight span[style="color: rgb(211, 99, 99);"] { color: #f0a0a0 !important }
.swagger-ui .info { margin: 16px 0 }
.swagger-ui .opblock, .swagger-ui .models, .swagger-ui .info .description { overflow-x: auto }
.swagger-ui input, .swagger-ui select, .swagger-ui textarea { max-width: 100% }
@media (max-width: 640px) {
  .swagger-ui .opblock-body pre.microlight { max-width: calc(100vw - 80px) }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; word-break: break-word }
  .swagger-ui .responses-table > thead { display: none }
  .swagger-ui .responses-table > tbody > tr, .swagger-ui .responses-table > tbody > tr > td { display: block; width: auto }
  .swagger-ui .responses-table .response-col_links { display: none }
  .swagger-ui .responses-table table.headers :is(th, td) { padding: 2px 4px; font: 12px/1.3 system-ui, sans-serif }
  .swagger-ui table.headers .renderedMarkdown p { margin: 0; font: inherit }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 20px) }
}
`,
  'text/css; charset=utf-8',
);

/**
 * A page of the documentation below the navigation.
 *
 * @param base the path of `/docs/`, relative to the page, so that the pages work under a proxy's prefix.
 * @param head more elements of the head.
 */
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
