import { unitsOf, type LineFacts, type OrderFacts } from './order-facts.js';
import type { StoreBranding } from './store-branding.js';

/** The content of a message, before its layout as text or HTML. Every text in it is a single, unescaped line. */
export interface Letter {
  readonly order: OrderFacts;
  readonly store: StoreBranding;
  /** Warnings that the reader must not miss. */
  readonly notices: readonly string[];
  readonly intro: readonly string[];
  /** Whether the message shows the order lines with their prices, and the totals. */
  readonly hasPrices?: boolean;
  /** These sections come last; an empty section is skipped. */
  readonly sections: readonly LetterSection[];
}

export interface LetterSection {
  readonly title: string;
  readonly lines: readonly string[];
  readonly link?: string | null;
}

export function addressSections({ address, billingAddress }: OrderFacts): LetterSection[] {
  return [
    { title: 'Delivery address', lines: address },
    { title: 'Billing address', lines: billingAddress },
  ];
}

export function textOf(letter: Letter): string {
  const { order, store, notices, intro, hasPrices } = letter;
  return [
    ...notices.flatMap((notice) => [`*** ${notice}`, '']),
    ...intro.flatMap((line) => [line, '']),
    `Receipt:  ${order.receipt}`,
    `Placed:   ${order.placedAt}`,
    `Payment:  ${order.payment}`,
    ...(hasPrices ? pricesOf(order) : []),
    // The text is indented, so that text from a customer cannot pass for a part of the message.
    ...filledSections(letter).flatMap(({ title, lines, link }) => [
      '',
      `${title}:`,
      ...[...lines, ...(link ? [link] : [])].map((line) => `  ${line}`),
    ]),
    '',
    '-- ',
    ...footer(store),
    '',
  ].join('\n');
}

function pricesOf({ lines, subtotal, charges, total }: OrderFacts): string[] {
  const priced = lines
    .filter(isOrdered)
    .flatMap((line) => [unitsOf(line, line.quantity), `    ${line.unitPrice} each, ${line.lineTotal}`]);
  const charged = charges.map(([name, amount]) => `${`${name}:`.padEnd(9)} ${amount}`);
  return ['', ...priced, '', `Subtotal: ${subtotal}`, ...charged, `Total:    ${total}`];
}

const FALLBACK_COLOR = '#444444';
const CELL = 'padding:8px 0;border-bottom:1px solid #dddddd;vertical-align:top';
const NUMBER = `${CELL};text-align:right;white-space:nowrap;padding-left:12px`;

/** The HTML has tables and inline styles, which all mail programs support, and no asset but the logo. */
export function htmlOf(letter: Letter): string {
  const { order, store, notices, intro, hasPrices } = letter;
  const color = store.color ?? FALLBACK_COLOR;
  // The store's colour is a border, never a background: any text stays readable next to it.
  return markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${order.receipt}</title></head>
<body style="margin:0;padding:16px;background:#f4f4f4;color:#222222;font:16px/1.5 Arial,Helvetica,sans-serif">
<div style="max-width:600px;margin:0 auto;padding:24px;background:#ffffff;border-top:6px solid ${color}">
${header(store)}
${notices.map((notice) => markup`<p style="padding:12px;border:2px solid #b00020"><strong>${notice}</strong></p>`)}
${intro.map((line) => markup`<p>${line}</p>`)}
<p>Receipt: <strong>${order.receipt}</strong><br>Placed: ${order.placedAt}<br>Payment: ${order.payment}</p>
${hasPrices ? [linesOf(order)] : []}
${filledSections(letter).map(sectionOf)}
<p style="margin-top:24px;padding-top:12px;border-top:1px solid #dddddd;font-size:14px;color:#555555">${broken(
    footer(store).map((line) => (line === store.website ? link(line) : markup`${line}`)),
  )}</p>
</div>
</body>
</html>
`.html;
}

function header({ name, logoUrl }: StoreBranding): Markup {
  // The name stands next to the logo, for readers without images.
  const logo = logoUrl
    ? [markup`<img src="${logoUrl}" alt="" height="48" style="display:block;height:48px;border:0">`]
    : [];
  return markup`${logo}<h1 style="margin:8px 0 16px;font-size:20px">${name}</h1>`;
}

/** Excludes lines that were cancelled. */
function isOrdered({ quantity }: LineFacts): boolean {
  return quantity > 0;
}

function linesOf({ lines, subtotal, charges, total }: OrderFacts): Markup {
  return markup`<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse">
${lines.filter(isOrdered).map(lineOf)}
${[['Subtotal', subtotal] as const, ...charges].map(sumOf)}<tr><td style="${CELL}" colspan="2"><strong>Total</strong></td><td style="${NUMBER}"><strong>${total}</strong></td></tr>
</table>`;
}

function sumOf([name, amount]: OrderFacts['charges'][number]): Markup {
  return markup`<tr><td style="${CELL}" colspan="2">${name}</td><td style="${NUMBER}">${amount}</td></tr>
`;
}

function lineOf({ name, attributes, quantity, unitPrice, lineTotal }: LineFacts): Markup {
  const variant = attributes ? [markup`<br><span style="color:#555555">${attributes}</span>`] : [];
  return markup`<tr><td style="${CELL}">${name}${variant}</td><td style="${NUMBER}">${quantity} × ${unitPrice}</td><td style="${NUMBER}">${lineTotal}</td></tr>
`;
}

function sectionOf({ title, lines, link: url }: LetterSection): Markup {
  const parts = [...lines.map((line) => markup`${line}`), ...(url ? [link(url)] : [])];
  return markup`<h2 style="margin:24px 0 4px;font-size:16px">${title}</h2><p style="margin:0">${broken(parts)}</p>
`;
}

function link(url: string): Markup {
  return markup`<a href="${url}" style="color:#555555">${url}</a>`;
}

function broken(lines: readonly Markup[]): Markup[] {
  return lines.map((line, index) => (index === 0 ? line : markup`<br>${line}`));
}

function footer({ name, address, phone, email, website }: StoreBranding): string[] {
  return [name, ...address, phone, email, website ?? ''].filter((line) => line !== '');
}

function filledSections({ sections }: Letter): LetterSection[] {
  return sections.filter(({ lines, link }) => lines.length > 0 || link);
}

class Markup {
  constructor(readonly html: string) {}
}

type Insertion = string | number | Markup | readonly Markup[];

/**
 * An HTML template that escapes every text, in content and in quoted attributes, except the output of another template.
 */
function markup(template: TemplateStringsArray, ...insertions: readonly Insertion[]): Markup {
  return new Markup(String.raw({ raw: template }, ...insertions.map(toHtml)));
}

function toHtml(insertion: Insertion): string {
  if (insertion instanceof Markup) return insertion.html;
  return typeof insertion === 'object' ? insertion.map(({ html }) => html).join('') : escapeHtml(String(insertion));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}
