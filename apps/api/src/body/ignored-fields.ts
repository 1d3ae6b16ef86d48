import type { FastifyRequest } from 'fastify';
import { encodeName, ignoredNames } from '../errors/strict-handling.js';
import { unknownFields } from './body.pipe.js';

/**
 * Prices that every client may send although the service computes them itself; they are not reported. The price of an
 * item is reported: a client that intends to set it needs the scope `pricing`.
 */
const PRICES: ReadonlySet<string> = new Set([
  'price',
  'unit_price',
  'line_total',
  'subtotal',
  'total',
  'amount',
  'total_amount',
]);

/**
 * Returns the value of `X-Ignored-Fields`: what a body has and its class does not declare, such as a misspelled
 * `expected_total`; `''` for nothing. Each path is listed once for all items of a list.
 * @param read the body as {@link BodyPipe} has read it.
 * @throws BadRequestException in strict handling.
 */
export function ignoredFields(request: FastifyRequest, read: object): string {
  const paths = unknownFields(request.body as object, read, '', encodeName);
  const named = paths
    .map((path) => path.replace(/\[\d+\]/g, '[]'))
    .filter((path) => isPriceOfItem(path) || !PRICES.has(lastName(path)));
  return ignoredNames(request, 'field', [...new Set(named)]);
}

function isPriceOfItem(path: string): boolean {
  return /^(line_)?items\[\]\.(unit_)?price$/.test(path);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
