import type { LineFacts } from './order-facts.js';
import { filledSections, footer, type Letter } from './order-letter.js';

/** The letter as plain text. */
export function textOf(letter: Letter): string {
  const { order, store, notices, intro } = letter;
  return [
    ...notices.flatMap((notice) => [`*** ${notice}`, '']),
    ...intro.flatMap((line) => [line, '']),
    `Receipt:  ${order.receipt}`,
    `Placed:   ${order.placedAt}`,
    `Payment:  ${order.payment}`,
    '',
    ...order.lines.flatMap(lineOf),
    '',
    `Subtotal: ${order.subtotal}`,
    `Total:    ${order.total}`,
    // Indented, so that text from a customer cannot pass for a part of the letter.
    ...filledSections(letter).flatMap(({ title, lines }) => ['', `${title}:`, ...lines.map((line) => `  ${line}`)]),
    '',
    '-- ',
    ...footer(store),
    '',
  ].join('\n');
}

function lineOf({ name, attributes, quantity, unitPrice, lineTotal }: LineFacts): string[] {
  return [`${quantity} × ${name}${attributes && ` (${attributes})`}`, `    ${unitPrice} each, ${lineTotal}`];
}
