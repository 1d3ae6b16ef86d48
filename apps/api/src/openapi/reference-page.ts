import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { PublicFile, serveFromMemory } from '../serve-from-memory.js';
import { FRAME_STYLE, framedPage, stylesheet } from './page-frame.js';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/**
 * A separate file: the page's policy allows no inline script. The key is not shown in the command of a call, which
 * users copy into tickets. Swagger UI leaves selects without a name, and does not follow the colour scheme.
 */
const START = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
followScheme();
dark.addEventListener('change', followScheme);
const hideKey = (request) =>
  request.hasIn(['headers', 'Authorization']) ? request.setIn(['headers', 'Authorization'], 'Bearer <API key>') : request;
const commandWithoutKey = () => ({
  wrapComponents: {
    curl: (Curl, { React }) => (props) => React.createElement(Curl, { ...props, request: hideKey(props.request) }),
  },
});
const url = new URL('../openapi.json', document.currentScript.src).href;
const onComplete = () => {
  document.querySelector('.info .title').setAttribute('aria-level', '2');
  const about = document.querySelector('.information-container');
  about.role = 'region';
  about.ariaLabel = 'About the API';
};
const nameSelects = () => {
  for (const select of document.querySelectorAll('select:not([aria-label])'))
    select.ariaLabel = select.closest('[data-param-name]')?.dataset.paramName ?? 'Example';
};
window.addEventListener('load', () => {
  new MutationObserver(nameSelects).observe(document.body, { childList: true, subtree: true });
  SwaggerUIBundle({
    url,
    dom_id: '#swagger-ui',
    persistAuthorization: false,
    validatorUrl: null,
    plugins: [commandWithoutKey],
    onComplete,
  });
});
`;

export function serveReferencePage(fastify: FastifyInstance): void {
  const files = {
    'swagger-ui.css': swaggerUi('swagger-ui.css', 'text/css; charset=utf-8'),
    'favicon-32x32.png': swaggerUi('favicon-32x32.png', 'image/png'),
    'swagger-ui-bundle.js': swaggerUi('swagger-ui-bundle.js', JAVASCRIPT),
    'swagger-ui-init.js': new PublicFile(START, JAVASCRIPT),
    'reference.css': stylesheet('reference.css'),
    'frame.css': FRAME_STYLE,
  };
  const page = (base: string) => {
    const address = (name: keyof typeof files) => `${base}${name}?v=${files[name].version}`;
    const head = `
    <link rel="stylesheet" href="${address('swagger-ui.css')}">
    <link rel="stylesheet" href="${address('reference.css')}">
    <script src="${address('swagger-ui-bundle.js')}" defer></script>
    <script src="${address('swagger-ui-init.js')}"></script>`;
    const title = '<section class="unseen" aria-label="Page"><h1>API reference</h1></section>';
    return framedPage('', base, `${title}<div id="swagger-ui"></div>`, head);
  };
  const pages = { '/docs': page('./docs/'), '/docs/': page('./'), '/docs/index.html': page('./') };
  const assets = Object.entries(files).map(([name, file]) => [`/docs/${name}`, file] as const);
  for (const [path, file] of [...Object.entries(pages), ...assets])
    serveFromMemory(fastify, path, () => file, { 'content-security-policy': POLICY });
}

/** The build compresses these files (`tools/bundle.mjs`). Without a bundle, they are compressed at their first request. */
function swaggerUi(name: string, type: string): PublicFile {
  const path = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  const compressed = Object.fromEntries(
    Object.entries({ br: `${path}.br`, gzip: `${path}.gz` })
      .filter(([, file]) => existsSync(file))
      .map(([coding, file]) => [coding, readFileSync(file)]),
  );
  return new PublicFile(readFileSync(path), type, compressed);
}
