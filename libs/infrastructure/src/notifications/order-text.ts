import { unitsOf, type LineFacts, type OrderFacts } from './order-facts.js';
import { filledSections, footer, type Letter } from './order-letter.js';

/** The letter as plain text. */
export function textOf(letter: Letter): string {
  const { order, store, notices, intro, hasPrices } = letter;
  return [
    ...notices.flatMap((notice) => [`*** ${notice}`, '']),
    ...intro.flatMap((line) => [line, '']),
    `Receipt:  ${order.receipt}`,
    `Placed:   ${order.placedAt}`,
    `Payment:  ${order.payment}`,
    ...(hasPrices ? pricesOf(order) : []),
    // Indented, so that text from a customer cannot pass for a part of the letter.
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

function pricesOf({ lines, subtotal, total }: OrderFacts): string[] {
  return ['', ...lines.flatMap(lineOf), '', `Subtotal: ${subtotal}`, `Total:    ${total}`];
}

function lineOf(line: LineFacts): string[] {
  return [unitsOf(line, line.quantity), `    ${line.unitPrice} each, ${line.lineTotal}`];
}
