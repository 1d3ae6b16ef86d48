import type { Random } from '../support/proof.js';
import { oneOf } from '../support/store-setup.js';
import type { OrderAnswer } from './order-answer.js';

export type Placed = Pick<OrderAnswer, 'id' | 'total_amount' | 'line_items'>;

export interface ChangeRequest {
  readonly method: 'POST' | 'PATCH' | 'GET';
  readonly route: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

type Draw = (order: Placed, random: Random, n: number) => ChangeRequest;

const SHIPMENTS = 6;
const PAYMENTS = 3;
const REFUNDS = 5;
const PAYMENT_WORDS = ['PENDING', 'FAILED', 'SUCCEEDED'];
const FULFILLMENT_WORDS = ['PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED'];

/** Each request is drawn as often as it is listed. A cancellation ends a life, so it is rare. */
const DRAWS: readonly Draw[] = [
  ...Array<Draw>(6).fill(shipment),
  ...Array<Draw>(9).fill(shipmentChange),
  ...Array<Draw>(3).fill(payment),
  ...Array<Draw>(2).fill(partPayment),
  ...Array<Draw>(2).fill(cancellationOfUnits),
  ...Array<Draw>(3).fill(lines),
  ...Array<Draw>(5).fill(refund),
  ...Array<Draw>(4).fill(transition),
  () => ({ method: 'GET', route: '' }),
];
const CANCELLED_OF = 60;

/** A random request. References repeat, with equal and with other contents. @param n unique. */
export function drawRequest(order: Placed, random: Random, n: number): ChangeRequest {
  if (random(CANCELLED_OF) === 0) {
    return { method: 'POST', route: '/cancel', body: { reason: 'Enough', restock: random(4) > 0 } };
  }
  return oneOf(DRAWS, random)(order, random, n);
}

function shipment(order: Placed, random: Random): ChangeRequest {
  const body = {
    reference: `S${random(SHIPMENTS)}`,
    ...(random(4) > 0 && { items: units(order, random) }),
    ...(random(3) === 0 && { status: 'picking' }),
    ...(random(5) === 0 && { notify: false }),
  };
  return { method: 'POST', route: '/shipments', body };
}

function shipmentChange(_order: Placed, random: Random, n: number): ChangeRequest {
  const status = oneOf(['shipped', 'shipped', 'delivered', 'void'], random);
  const body = random(4) === 0 ? { carrier: `Carrier ${n}` } : { status };
  return { method: 'PATCH', route: `/shipments/S${random(SHIPMENTS)}`, body };
}

function payment({ total_amount: total }: Placed, random: Random): ChangeRequest {
  const amount = random(5) === 0 ? total + 1 : total;
  return { method: 'POST', route: '/payments', body: { reference: `P${random(PAYMENTS)}`, amount, currency: 'USD' } };
}

function partPayment({ total_amount: total }: Placed, random: Random): ChangeRequest {
  const amount = Math.ceil(total / (2 + random(3)));
  const kind = random(4) === 0 ? { settles: true } : { partial: true };
  return {
    method: 'POST',
    route: '/payments',
    body: { reference: `P${random(PAYMENTS)}`, amount, currency: 'USD', ...kind },
  };
}

function cancellationOfUnits({ line_items: lines }: Placed, random: Random): ChangeRequest {
  const { line } = oneOf(lines, random);
  return { method: 'POST', route: '/cancel', body: { items: [{ line, quantity: 1 }], restock: random(2) === 0 } };
}

function lines({ line_items: present }: Placed, random: Random): ChangeRequest {
  const { line, quantity, product_id } = oneOf(present, random);
  const set = [{ line, quantity: random(quantity + 3) }];
  const add = random(6) === 0 && { add: [{ product_id: Number(product_id), quantity: 1 }] };
  return { method: 'POST', route: '/lines', body: { set, ...add } };
}

function refund(order: Placed, random: Random): ChangeRequest {
  const share = 1 + random(3);
  const body = {
    reference: `R${random(REFUNDS)}`,
    amount: Math.ceil(order.total_amount / share),
    ...oneOf([{ restock: true }, { restock: false }, {}], random),
    ...oneOf([{ lines: units(order, random) }, { reason: 'chargeback', restock: false }, {}], random),
    ...(random(4) === 0 && { amount: 0 }),
  };
  return { method: 'POST', route: '/refunds', body };
}

function transition(_order: Placed, random: Random): ChangeRequest {
  const isPayment = random(2) === 0;
  const words = isPayment ? PAYMENT_WORDS : FULFILLMENT_WORDS;
  const targets = isPayment ? ['FAILED', 'PENDING'] : ['CONFIRMED', 'CONFIRMED', 'RETURNED'];
  const body = {
    field: isPayment ? 'status' : 'fulfillment_status',
    expected: oneOf(words, random),
    to: oneOf(targets, random),
    restock: random(2) === 0,
  };
  return { method: 'POST', route: '/transitions', body };
}

function units({ line_items: lines }: Placed, random: Random) {
  const chosen = lines.filter(() => random(2) === 0);
  return (chosen.length > 0 ? chosen : lines.slice(0, 1)).map(({ line, quantity }) => ({
    line,
    quantity: 1 + random(quantity),
  }));
}
