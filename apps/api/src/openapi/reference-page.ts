import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { publicFile, serveFromMemory, type PublicFile } from '../http/serve-from-memory.js';
import { PAGE_SCRIPT, PAGE_STYLE } from './reference-page-parts.js';

/** The page loads files of this service only. Swagger UI's style sheet and drawings need inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Serves the API reference at `/docs`: Swagger UI on `/openapi.json`. */
export function serveReferencePage(fastify: FastifyInstance): void {
  const files = {
    'swagger-ui.css': publicFile(swaggerUi('swagger-ui.css'), 'text/css; charset=utf-8'),
    'favicon-32x32.png': publicFile(swaggerUi('favicon-32x32.png'), 'image/png'),
    'swagger-ui-bundle.js': publicFile(swaggerUi('swagger-ui-bundle.js'), JAVASCRIPT),
    'swagger-ui-init.js': publicFile(PAGE_SCRIPT, JAVASCRIPT),
  };
  const serve = (path: string, file: PublicFile) =>
    serveFromMemory(fastify, path, () => file, { 'content-security-policy': POLICY });

  serve('/docs', page(files, './docs/'));
  serve('/docs/', page(files, './'));
  serve('/docs/index.html', page(files, './'));
  for (const [name, file] of Object.entries(files)) serve(`/docs/${name}`, file);
}

function swaggerUi(name: string): Buffer {
  return readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
}

/** @param base the path of the files, relative to the page, so that the page works under a proxy's prefix. */
function page(files: Readonly<Record<string, PublicFile>>, base: string): PublicFile {
  const address = (name: string) => `${base}${name}?v=${files[name]?.version}`;
  const html = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Store Commerce API</title>
    <link rel="icon" type="image/png" href="${address('favicon-32x32.png')}">
    <link rel="stylesheet" href="${address('swagger-ui.css')}">
    <style>${PAGE_STYLE}</style>
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${address('swagger-ui-bundle.js')}"></script>
    <script src="${address('swagger-ui-init.js')}"></script>
  </body>
</html>
`;
  return publicFile(html, 'text/html; charset=utf-8');
}
