import { mutant, type Mutant } from './mutant.js';

/** Defects in changing placed orders. */
export const LIFE_MUTANTS: readonly Mutant[] = [
  mutant(
    'an order is decided about without its lock',
    'life',
    /\d+ was refunded of \d+|the history leads to|the event status_changed .*: the status is/,
    ['order-lock', 'SELECT FROM orders WHERE store_id = $1 AND id = $2 AND ($3::boolean IS NULL OR is_test = $3)`;'],
  ),
  mutant(
    'shipments are not limited to the ordered units',
    'life',
    /line \d+ has \d+ units, \d+ in shipments/,
    ['shipped-units', 'IF used > ordered AND false THEN'],
    ['unclaimed-units', 'if (items.length === 0) throw order.beingPicked();'],
    ['unshipped-units', 'if (items.length === 0 && unshippedUnits.length === 0) {'],
  ),
  mutant('a change does not claim its key', 'life', /key \S+ was answered (with different bytes|and is not kept)/, [
    'kept-change',
    `((null as Kept<KeptOrder> | null) ??
null);`,
    2,
  ]),
  mutant(
    'a change of a shipment leaves no event',
    'life',
    /the history replays the shipments to/,
    ['change-events', `eventsOf(order, actor, events.filter(({ event }) => event !== 'shipment_changed'), false),`],
    ['shipment-event', ') AND false THEN'],
  ),
  mutant(
    'the mail of a shipment forgets its reference',
    'life',
    /mail \S+-notify-shipment@\S+ is marked done and never arrived/,
    [
      'mail-reference',
      `return { text: QUEUE, values: [storeId, orderId, stage, reference && '', PIPELINE_STAGES.indexOf(stage) + 1] };`,
    ],
  ),
];
