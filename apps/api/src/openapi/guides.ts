import { existsSync, readFileSync } from 'node:fs';
import { PROJECT_ROOT } from '@app/infrastructure';
import type { FastifyInstance } from 'fastify';
import { Marked, Renderer, type Tokens } from 'marked';
import { serveFromMemory, type PublicFile } from '../serve-from-memory.js';
import { framedPage, PAGES, type PageName } from './page-frame.js';

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function serveGuides(fastify: FastifyInstance): void {
  for (const [name, { file }] of Object.entries(PAGES)) {
    if (file === null) continue;
    let page: PublicFile | null = null;
    const current = () => (page ??= framedPage(name as PageName, './', guideHtml(file, textOf(file))));
    serveFromMemory(fastify, `/docs/${name}`, current, { 'content-security-policy': POLICY });
  }
}

function textOf(file: string): string {
  const places = [import.meta.url, PROJECT_ROOT].map((place) => new URL(file, place));
  return readFileSync(places.find((place) => existsSync(place)) ?? file, 'utf8');
}

/** @param file its path in the project: links are relative to it. One to a file that is not served becomes text. */
export function guideHtml(file: string, markdown: string): string {
  const contents: string[] = [];
  const renderer = {
    heading(this: Renderer, { depth, text, tokens }: Tokens.Heading) {
      const id = anchorOf(text);
      const html = this.parser.parseInline(tokens);
      if (depth === 2 || depth === 3) contents.push(`<li class="depth-${depth}"><a href="#${id}">${html}</a></li>`);
      return `<h${depth} id="${id}">${html}</h${depth}>\n`;
    },
    link(this: Renderer, { href, text, tokens }: Tokens.Link) {
      const html = this.parser.parseInline(tokens);
      const target = servedTarget(file, href);
      if (target !== null) return `<a href="${target}">${html}</a>`;
      const path = projectPath(file, href).pathname.slice(1);
      return path.startsWith(text) ? html : `${html} (<code>${path}</code>)`;
    },
    // What scrolls sideways on a phone takes the focus, so that a keyboard can scroll it.
    table(this: Renderer, token: Tokens.Table) {
      return `<div class="scroll" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
    code(this: Renderer, token: Tokens.Code) {
      const html = Renderer.prototype.code.call(this, token) as string;
      return html.replace('<pre>', '<pre tabindex="0">');
    },
  };
  const article = new Marked({ renderer }).parse(markdown, { async: false });
  return `<div class="guide"><nav aria-label="Contents"><ul>${contents.join('')}</ul></nav>
<main><article>${article}</article></main></div>`;
}

/** Makes the anchor of a heading as GitHub does, where the same documents are read. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function servedTarget(file: string, href: string): string | null {
  if (/^(?:https?:|#)/.test(href)) return href;
  const { pathname, hash } = projectPath(file, href);
  if (pathname === '/docs/openapi.json') return '../openapi.json';
  const page = Object.entries(PAGES).find(([, each]) => `/${each.file}` === pathname);
  return page ? `./${page[0]}${hash}` : null;
}

function projectPath(file: string, href: string): URL {
  return new URL(href, `file:///${file}`);
}
