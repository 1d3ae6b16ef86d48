import { BadRequestException } from '@nestjs/common';
import { BodyPipe, CurrencyField, IntegerField, ReferenceField } from 'store-commerce/api';

const AMOUNT = { min: 1, max: Number.MAX_SAFE_INTEGER, description: 'In minor units of the currency.' };

export class PaymentSucceeded {
  @ReferenceField({ isRequired: true, description: 'The event.' })
  id!: string;

  @ReferenceField({ isRequired: true, description: 'The id or the receipt number of the order.' })
  order!: string;

  @ReferenceField({ isRequired: true, description: 'The payment.' })
  payment!: string;

  @IntegerField(AMOUNT)
  amount!: number;

  @CurrencyField({ isRequired: true, description: 'The currency of the amount.' })
  currency!: string;
}

export class PaymentRefunded extends PaymentSucceeded {
  @ReferenceField({ isRequired: true, description: 'The refund.' })
  refund!: string;
}

export class PaymentDisputed extends PaymentSucceeded {}

const EVENTS = {
  'payment.succeeded': PaymentSucceeded,
  'payment.refunded': PaymentRefunded,
  'payment.disputed': PaymentDisputed,
} as const;
const FIELDS = new BodyPipe();

/**
 * @returns null for an event of another type.
 * @throws BadRequestException, also for fields that the service would not accept.
 */
export async function readEvent(body: Buffer): Promise<PaymentSucceeded | null> {
  const event = parsed(body);
  const metatype = EVENTS[event.type as keyof typeof EVENTS];
  return metatype ? ((await FIELDS.transform(event, { type: 'body', metatype })) as PaymentSucceeded) : null;
}

/** Hides the error of `JSON.parse`, which quotes the text and would be logged. */
function parsed(body: Buffer): { readonly type?: unknown } {
  try {
    return Object(JSON.parse(body.toString())) as object;
  } catch {
    throw new BadRequestException('The body is not JSON');
  }
}
