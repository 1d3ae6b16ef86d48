import { Module, type DynamicModule } from '@nestjs/common';
import { PaymentsController, ProviderSecrets } from './payments.controller.js';
import { RecordPaymentEvent } from './record-payment-event.js';

@Module({})
export class PaymentsModule {
  static on(secrets: ProviderSecrets): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: [PaymentsController],
      providers: [RecordPaymentEvent, { provide: ProviderSecrets, useValue: secrets }],
    };
  }
}

/** @param text the id of each store with its secret: `1=whsec_…,2=whsec_…`. */
export function readSecrets(text: string): ProviderSecrets {
  const pairs = text.split(',').map((pair) => /^([1-9]\d*)=(\S{16,})$/.exec(pair.trim()));
  if (pairs.includes(null))
    throw new Error('PAYMENT_SECRETS is not STORE=SECRET,… with secrets of 16 characters or more');
  return new ProviderSecrets(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? ''] as const] : [])));
}
