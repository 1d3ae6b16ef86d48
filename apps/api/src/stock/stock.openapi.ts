import { MOVEMENTS_LISTED_DAYS } from '@app/application';
import { DatedTooEarly, ReferenceTaken, StockRefused } from '@app/domain';
import { type ResourceDocumentation, StockChange, StockListItem, StockMovement } from '@app/representations';
import { ApiList, ApiWrite } from '../openapi/endpoints.js';
import { ChangeStockRequest } from './stock.request.js';
import { invalidField } from '../errors/invalid-fields.js';

export const STOCK_DOCUMENTATION: ResourceDocumentation = {
  tag: 'Stock',
  description: 'Stock by bin: receipts, corrections and counts.',
  schemas: [StockListItem, StockMovement, StockChange],
};

export const ApiListStock = ApiList({
  operationId: 'listStock',
  summary: 'List the stock by bin',
  description:
    'A row for each bin in which a product or variant lies or has lain, of active and other products and warehouses. Sorted ' +
    'by `product_id`, then `variant_id` (the product itself first), then the age of the bin. `pagination.total` counts all ' +
    'rows that match the filters.',
  of: StockListItem,
});

export const ApiListMovements = ApiList({
  operationId: 'listStockMovements',
  summary: 'List stock movements, newest first',
  description:
    'Every change of a quantity: by orders, and by changes of stock. Movements are never changed or deleted. The list covers ' +
    'what `from` and `to` limit. Without `from`, it covers all time for a `sku` or `product_id`, and otherwise the ' +
    `${MOVEMENTS_LISTED_DAYS} days before \`to\`, or before now. \`pagination.total\` counts all rows in it; a page costs what it counts.`,
  of: StockMovement,
});

export const ApiChangeStock = ApiWrite({
  operationId: 'changeStock',
  summary: 'Report receipts, corrections and counts',
  description:
    'Lines apply in their order, and each has one effect. `adjust` adds or removes units. `set` writes a quantity if the ' +
    'bin holds what you `expected`. `counted` writes a count as of a cursor of the feed: the stock becomes the counted ' +
    'units plus the net of all sales, returns and adjustments after the cursor. A later count at the same cursor replaces ' +
    'an earlier one; a count whose cursor is older than the last count or set of the bin, or than that of another count of it ' +
    'in the request, is `superseded`. A count that ' +
    'finds fewer units than were sold since leaves 0, and `short` states the difference. A refused line changes nothing; the other ' +
    'lines apply unless the request is `atomic`. A repeated request with the same `reference` is applied once and ' +
    'gets the first answer.',
  of: StockChange,
  body: {
    type: ChangeStockRequest,
    example: {
      reference: 'GR-4711',
      reason: 'Goods receipt',
      lines: [{ sku: 'R-1-42', warehouse: 'MAIN', bin: 'A-1', adjust: 10 }],
    },
  },
  answer: {
    status: 200,
    description: 'The result of each line, of this request or of the earlier one that it repeats.',
  },
  isRepeatable: true,
  failures: [
    invalidField('lines must have 1 to 500 entries'),
    new StockRefused([{ path: 'lines[0]', message: 'stale: The bin holds 12, not 10' }]),
    new ReferenceTaken(),
    new DatedTooEarly(new Date('2026-11-20T09:30:00.000Z')),
  ],
});
