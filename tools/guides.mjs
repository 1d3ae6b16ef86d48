import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked, Renderer } from 'marked';

/** The table of contents of the guides: each of its tables is a group of pages. */
const INDEX = 'docs/api.md';

/** The guides: the index, and every document of `docs` that one of its tables links to. */
export const GUIDES = [{ name: 'guide', file: INDEX, group: '' }, ...linkedPages()].map((guide) => {
  const markdown = readFileSync(guide.file, 'utf8');
  return { ...guide, title: /^# (.+)$/m.exec(markdown)?.[1] ?? guide.name, markdown };
});

function linkedPages() {
  let group = '';
  return readFileSync(INDEX, 'utf8')
    .split('\n')
    .flatMap((line, index, lines) => {
      if (lines[index + 1]?.startsWith('| ---')) group = line.split('|')[1].trim();
      if (!line.startsWith('| [')) return [];
      const files = [...line.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, target]) => `docs/${target}`);
      return files.map((file) => ({ name: path.basename(file, '.md'), file, group }));
    });
}

/**
 * Renders a guide. Links to other guides lead to their pages. A link to a file that is not served becomes its text
 * followed by the path of the file.
 */
export function renderGuide({ file, markdown }) {
  const headings = [];
  const renderer = {
    heading({ depth, text, tokens }) {
      const id = anchorOf(text);
      const html = this.parser.parseInline(tokens);
      headings.push({ depth, id, html });
      return `<h${depth} id="${id}">${html}</h${depth}>\n`;
    },
    link({ href, text, tokens }) {
      const html = this.parser.parseInline(tokens);
      const target = servedTarget(file, href);
      if (target !== null) return `<a href="${target}">${html}</a>`;
      const place = projectPath(file, href).pathname.slice(1);
      return place.startsWith(text) ? html : `${html} (<code>${place}</code> in the repository)`;
    },
    // A table that scrolls sideways on a phone can take the focus, so that a keyboard can scroll it.
    table(token) {
      return `<div class="scroll" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
    code(token) {
      return Renderer.prototype.code.call(this, token).replace('<pre>', '<pre tabindex="0">');
    },
  };
  const html = new Marked({ renderer }).parse(markdown, { async: false });
  return { html, headings: headings.filter(({ depth }) => depth === 2 || depth === 3) };
}

/** Makes the anchor of a heading as GitHub does, where the same documents are read. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function servedTarget(file, href) {
  if (/^(?:https?:|#)/.test(href)) return href;
  const { pathname, hash } = projectPath(file, href);
  if (pathname === '/docs/openapi.json') return '../openapi.json';
  const guide = GUIDES.find((each) => `/${each.file}` === pathname);
  return guide ? `./${guide.name}${hash}` : null;
}

function projectPath(file, href) {
  return new URL(href, `file:///${file}`);
}
