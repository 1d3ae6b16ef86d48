import { Body, Controller, Headers, HttpCode, Param, Post, UnauthorizedException } from '@nestjs/common';
import { ReceivesRaw } from 'store-commerce/api';
import { readEvent } from './payment-event.js';
import { RecordPaymentEvent } from './record-payment-event.js';
import { isSigned } from './signature.js';

/** Maps the id of each store to the secret with which the provider signs its events. */
export class ProviderSecrets extends Map<string, string> {}

@Controller('payment-events')
export class PaymentsController {
  constructor(
    private readonly secrets: ProviderSecrets,
    private readonly events: RecordPaymentEvent,
  ) {}

  @Post(':store')
  @HttpCode(200)
  @ReceivesRaw({ maxBytes: 64 * 1024 })
  async receive(
    @Param('store') store: string,
    @Headers('provider-signature') signature = '',
    @Body() body: Buffer,
  ): Promise<{ received: true }> {
    const secret = this.secrets.get(store);
    if (!secret || !isSigned(body, signature, secret)) throw new UnauthorizedException('The signature is not valid');
    const event = await readEvent(body);
    if (event) await this.events.execute(Number(store), event);
    return { received: true };
  }
}
