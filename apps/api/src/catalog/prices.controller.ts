import { ChangePrices, Deadline, type ApiKeyLookup } from '@app/application';
import { PricesRefused, ReferenceTaken } from '@app/domain';
import { PriceChange, toPriceChange } from '@app/representations';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentKey, OrderDeadline } from '../access/current-store.decorator.js';
import { StrictBodyPipe } from '../body/body.pipe.js';
import { IdempotencyKey } from '../body/idempotency-key.decorator.js';
import { RequestHash } from '../body/request-hash.js';
import { single } from '../envelope.js';
import { Documented } from '../openapi/documented.js';
import { ApiWrite } from '../openapi/endpoints.js';
import { NeedsScope } from '../openapi/needs-scope.js';
import { ChangePricesRequest, toPriceLine } from './prices.request.js';
import { invalidField } from '../errors/invalid-fields.js';

@Controller('v1/prices')
@Documented({ tag: 'Prices', description: 'The prices of products and variants.', schemas: [PriceChange] })
export class PricesController {
  constructor(private readonly changePrices: ChangePrices) {}

  @Post()
  @HttpCode(200)
  @NeedsScope('catalog')
  @ApiWrite({
    operationId: 'changePrices',
    summary: 'Set prices',
    description:
      'Lines apply in their order. Each writes a price if the present one is what you `expected`. A line with ' +
      '`variant_id` sets the price of the variant; one without sets that of the product itself, which lists show and an ' +
      'order without a variant pays. Drafts, archived products and inactive variants count. A refused line changes ' +
      'nothing; the other lines apply unless the request is `atomic`. A price that stays as it is changes nothing, not ' +
      'even `updated_at`. The same request with the same `reference` is applied once, and answered as the first time.',
    of: PriceChange,
    body: {
      type: ChangePricesRequest,
      example: { reference: 'PRICES-261127', lines: [{ sku: 'R-1-42', price: '84.90', expected: '79.90' }] },
    },
    answer: { status: 200, description: 'What each line did, by this request or by an earlier one.' },
    isRepeatable: true,
    failures: [
      invalidField('lines must have 1 to 500 entries'),
      new PricesRefused([{ path: 'lines[0]', message: 'stale: The price is 82.00, not 79.90' }]),
      new ReferenceTaken(),
    ],
  })
  async change(
    @CurrentKey() { mode, store }: ApiKeyLookup,
    @IdempotencyKey() idempotencyKey: string | null,
    @RequestHash() requestHash: Buffer,
    @OrderDeadline() deadline: Deadline,
    @Body(StrictBodyPipe) body: ChangePricesRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const reference = body.reference ?? null;
    const { lines, isReplay } = await this.changePrices.execute({
      storeId: store.id,
      currency: store.currency,
      lines: body.lines.map((line) => toPriceLine(line, store.currency)),
      reference,
      isAtomic: body.atomic ?? false,
      requestHash,
      idempotency: idempotencyKey === null ? null : { storeId: store.id, mode, key: idempotencyKey },
      deadline,
    });
    if (isReplay) reply.header('idempotent-replayed', 'true');
    return single(toPriceChange(reference, lines, store.currency));
  }
}
