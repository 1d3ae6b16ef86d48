import {
  Deadline,
  type IdempotencyScope,
  type OrderPlacement,
  type Placement,
  type PlacementOutcome,
} from '@app/application';
import {
  Money,
  newOrder,
  orderLineOf,
  sumDemand,
  wholeAddress,
  type Charges,
  type FraudAssessment,
  type Order,
} from '@app/domain';
import { v7 as uuidv7 } from 'uuid';

let serial = 0;

interface OrderOptions {
  readonly id?: string;
  readonly receiptNumber?: string;
  /** Defaults to one unit of product 1, at 10.00 each. */
  readonly items?: readonly { readonly productId: number; readonly quantity: number }[];
  readonly externalReference?: string;
  readonly isTest?: boolean;
  readonly notify?: boolean;
  readonly charges?: Charges;
}

export function anOrder(
  storeId: number,
  {
    id = uuidv7(),
    receiptNumber = `WEB-TEST-${++serial}`,
    items = [{ productId: 1, quantity: 1 }],
    externalReference = '',
    isTest = false,
    notify = true,
    charges,
  }: OrderOptions = {},
): Order {
  const unitPrice = Money.ofMinor(1000, 'USD');
  return newOrder({
    id,
    storeId,
    receiptNumber,
    currency: 'USD',
    paymentMethod: 'COD',
    customer: { name: 'Ada', email: '', phone: '' },
    customerId: null,
    address: wholeAddress({}),
    billing: null,
    notes: '',
    metadata: {},
    externalReference,
    isTest,
    notify,
    charges,
    lines: items.map((item) =>
      orderLineOf({ ...item, variantId: null, sku: '', name: 'Mug', attributes: {}, unitPrice }),
    ),
    placedAt: new Date('2026-11-20T12:00:00.000Z'),
    placedBy: null,
    paymentTermsDays: null,
  });
}

export const ACCEPTED: FraudAssessment = { verdict: 'ACCEPT', score: 0, reasons: [] };

export function placeOrder(
  placement: OrderPlacement,
  order: Order,
  more: Partial<Omit<Placement, 'order'>> = {},
  deadline = Deadline.in(5_000),
): Promise<PlacementOutcome> {
  const demand = sumDemand(order.lines);
  return placement.place({ order, demand, assessment: ACCEPTED, idempotency: null, ...more }, deadline);
}

export function aScope(storeId: number, key = `key-${++serial}`): IdempotencyScope {
  return { storeId, mode: 'live', key };
}
