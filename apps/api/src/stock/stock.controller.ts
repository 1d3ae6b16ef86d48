import {
  actorOf,
  Deadline,
  StockService,
  type ApiKeyLookup,
  type MovementFilter,
  type StockFilter,
} from '@app/application';
import { toStockChange, toStockListItem, toStockMovement } from '@app/representations';
import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentKey, CurrentStore, type CurrentStoreContext } from '../access/current-store.decorator.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { RequestHash } from '../body/request-hash.js';
import { list, single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { IdempotencyKey } from '../body/idempotency-key.decorator.js';
import { exactFilter, idFilter, SKUS, timeFilter } from '../query/parameters.js';
import { listQuery, ReadQuery, type ValuesOf } from '../query/query.js';
import { ApiChangeStock, ApiListMovements, ApiListStock, STOCK_DOCUMENTATION } from './stock.openapi.js';
import { ChangeStockRequest, toStockLine } from './stock.request.js';

const FILTERS = {
  skus: SKUS,
  productId: idFilter('product_id', 'Only the stock of this product.'),
  warehouse: exactFilter('warehouse', 'the code of the warehouse', 'MAIN'),
  bin: exactFilter('bin', 'the code of the bin', 'A-1'),
};
const QUERY = listQuery<StockFilter>(FILTERS);
const MOVEMENTS_QUERY = listQuery<MovementFilter>({
  ...FILTERS,
  from: timeFilter('from', 'Only movements at or after this time.'),
  to: timeFilter('to', 'Only movements before this time.'),
});

/**
 * A count of many bins reads every open order, so it may take this long. It locks the bins for a small part of this
 * time.
 */
const CHANGE_MS = 8_000;

@Controller('v1/stock')
@Documented(STOCK_DOCUMENTATION)
export class StockController {
  constructor(private readonly stock: StockService) {}

  @Get()
  @ApiListStock
  async list(@CurrentStore() store: CurrentStoreContext, @ReadQuery(QUERY) { filter, page }: ValuesOf<typeof QUERY>) {
    const { rows, total } = await this.stock.list(store.id, filter, page);
    return list(rows.map(toStockListItem), total, page);
  }

  @Get('movements')
  @ApiListMovements
  async listMovements(
    @CurrentStore() store: CurrentStoreContext,
    @ReadQuery(MOVEMENTS_QUERY) { filter, page }: ValuesOf<typeof MOVEMENTS_QUERY>,
  ) {
    const { rows, total } = await this.stock.movements(store.id, filter, page);
    return list(rows.map(toStockMovement), total, page);
  }

  @Post()
  @HttpCode(200)
  @NeedsScope('stock')
  @ApiChangeStock
  async change(
    @CurrentKey() key: ApiKeyLookup,
    @IdempotencyKey() idempotencyKey: string | null,
    @RequestHash() requestHash: Buffer,
    @Body(StrictBodyPipe) body: ChangeStockRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { mode, store } = key;
    const reference = body.reference ?? null;
    const { lines, isReplay } = await this.stock.change({
      storeId: store.id,
      actor: actorOf(key),
      lines: body.lines.map((line) => toStockLine(line, key)),
      reference,
      reason: body.reason ?? '',
      at: body.at ? new Date(body.at) : null,
      isAtomic: body.atomic ?? false,
      createsBins: body.create_bins ?? false,
      requestHash,
      idempotency: idempotencyKey === null ? null : { storeId: store.id, mode, key: idempotencyKey },
      deadline: Deadline.in(CHANGE_MS),
    });
    if (isReplay) reply.header('idempotent-replayed', 'true');
    return single(toStockChange(reference, lines));
  }
}
