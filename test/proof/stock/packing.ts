import type { Units } from '../life/order-answer.js';
import type { Random } from '../support/proof.js';
import { oneOf } from '../support/store-setup.js';
import type { Effect } from './shelves.js';
import type { SoldOrder } from './sold-order.js';

export interface Step {
  readonly method: 'POST' | 'PATCH';
  readonly route: string;
  readonly body: object;
  readonly effects: () => readonly Effect[];
}

type Plan = (order: SoldOrder, random: Random) => readonly Step[];

const PLANS: readonly Plan[] = [
  (order, random) => {
    const restock = random(3) > 0;
    const items = random(2) === 0 && { items: order.lines };
    return [post('/cancel', { restock, ...items }, () => order.cancel(restock))];
  },
  (order, random) => {
    const part = partOf(order, random);
    const rest = without(order.lines, part);
    return [ship('PART', order, part), ...(rest.length > 0 ? [giveUp(order, rest, random)] : [])];
  },
  (order, random) => {
    const part = partOf(order, random);
    const rest = without(order.lines, part);
    return rest.length > 0 ? [giveUp(order, part, random), ship('REST', order, rest)] : [];
  },
  (order) => [ship('ALL', order, order.lines)],
  (order) => [ship('ALL', order, order.lines), change('ALL', 'delivered')],
  (order, random) => [ship('PART', order, partOf(order, random))],
  (order, random) => {
    const part = partOf(order, random);
    const rest = without(order.lines, part);
    return [ship('PART', order, part), ...(rest.length > 0 ? [ship('REST', order, rest)] : [])];
  },
  (order) => [pick('PICKED', order.lines), change('PICKED', 'void'), ship('ALL', order, order.lines)],
  (order) => [pick('ALL', order.lines), change('ALL', 'shipped', () => order.ship(order.lines))],
  (order) => [ship('ALL', order, order.lines), change('ALL', 'void', () => order.unpack(order.lines))],
  (order, random) => {
    const restock = random(2) === 0;
    const body = { field: 'fulfillment_status', expected: 'SHIPPED', to: 'RETURNED', restock };
    return [
      ship('ALL', order, order.lines),
      post('/transitions', body, () => (restock ? order.putBack(order.lines) : [])),
    ];
  },
  (order, random) => {
    const part = partOf(order, random);
    const body = { reference: 'BACK', amount: 0, restock: true, lines: part };
    return [ship('PART', order, part), post('/refunds', body, () => order.putBack(part))];
  },
];

export function planOf(order: SoldOrder, random: Random): readonly Step[] {
  return oneOf(PLANS, random)(order, random);
}

function post(route: string, body: object, effects: Step['effects']): Step {
  return { method: 'POST', route, body, effects };
}

function ship(reference: string, order: SoldOrder, items: readonly Units[]): Step {
  return post('/shipments', { reference, items }, () => order.ship(items));
}

function giveUp(order: SoldOrder, items: readonly Units[], random: Random): Step {
  const restock = random(2) === 0;
  return post('/cancel', { items, restock }, () => order.giveUp(items, restock));
}

function pick(reference: string, items: readonly Units[]): Step {
  return post('/shipments', { reference, items, status: 'picking' }, () => []);
}

function change(reference: string, status: string, effects: Step['effects'] = () => []): Step {
  return { method: 'PATCH', route: `/shipments/${reference}`, body: { status }, effects };
}

function partOf({ lines }: SoldOrder, random: Random): Units[] {
  const { line, quantity } = oneOf(lines, random);
  return [{ line, quantity: 1 + random(quantity) }];
}

function without(lines: readonly Units[], part: readonly Units[]): Units[] {
  return lines
    .map(({ line, quantity }) => ({
      line,
      quantity: quantity - (part.find((item) => item.line === line)?.quantity ?? 0),
    }))
    .filter(({ quantity }) => quantity > 0);
}
