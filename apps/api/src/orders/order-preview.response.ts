import type { OrderPreview } from '@app/application';
import { single, type SingleEnvelope } from '../envelope.js';
import { arrayOf, integer, object, oneOf, orNull, text } from '../openapi/schema.js';
import { QUOTE, toQuote, type QuoteResponse } from './created-order.response.js';

const PROBLEM_CODES = ['external_reference_taken', 'item_unavailable', 'out_of_stock'] as const;

/** Why the order would be refused: the code and the path of its refusal. */
interface OrderProblemResponse {
  readonly code: (typeof PROBLEM_CODES)[number];
  readonly path: string;
  readonly requested: number | null;
  readonly available: number | null;
}

/** `data` of a preview: the data of the 201 without the identities of an order. */
export interface OrderPreviewResponse extends QuoteResponse {
  readonly problems: readonly OrderProblemResponse[];
}

export function toOrderPreview(preview: OrderPreview): SingleEnvelope<OrderPreviewResponse> {
  return single({ ...toQuote(preview.quote), problems: toProblems(preview) });
}

/** By path, the lines by their number. */
function toProblems({ isReferenceTaken, unavailable, shortages }: OrderPreview): OrderProblemResponse[] {
  const nothing = { requested: null, available: null };
  const lines = [
    ...unavailable.map(
      ({ line, what }) => ({ line, code: 'item_unavailable', path: `.${what}_id`, ...nothing }) as const,
    ),
    ...shortages.map(
      ({ line, requested, available }) => ({ line, code: 'out_of_stock', path: '', requested, available }) as const,
    ),
  ];
  return [
    ...(isReferenceTaken
      ? [{ code: 'external_reference_taken', path: 'external_reference', ...nothing } as const]
      : []),
    ...lines
      .sort((a, b) => a.line - b.line)
      .map(({ line, path, ...problem }) => ({ ...problem, path: `items[${line}]${path}` })),
  ];
}

export const ORDER_PREVIEW = object<OrderPreviewResponse>({
  ...QUOTE.properties,
  problems: arrayOf(
    object<OrderProblemResponse>({
      code: oneOf(PROBLEM_CODES, 'The `X-Error-Code` that the order would get.'),
      path: text('The part of the body.', 'items[0]'),
      requested: orNull(integer('Units that the lines of this product request together. Only for `out_of_stock`.', 5)),
      available: orNull(integer('Units that are available. Only for `out_of_stock`.', 3)),
    }),
    'Why the order would be refused at this moment, sorted by path, lines by number. Empty when nothing speaks against it.',
  ),
});
