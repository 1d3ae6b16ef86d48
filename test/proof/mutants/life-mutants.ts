import { mutant, type Edit, type Mutant } from './mutant.js';

const CHANGES = 'libs/infrastructure/src/orders/order-changes.ts';
const LIFECYCLE = 'libs/infrastructure/src/orders/postgres-order-lifecycle.ts';
const STAGES = 'libs/infrastructure/src/orders/order-stages.ts';
const SCHEMA = 'libs/infrastructure/src/postgres/migrations/schema/05-orders.sql';
const DOMAIN = 'libs/domain/src/orders/ship-order.ts';

const WITHOUT_LIMIT: Edit = [SCHEMA, '  IF used > ordered THEN', '  IF used > ordered AND false THEN'];

/** Defects in changing placed orders. */
export const LIFE_MUTANTS: readonly Mutant[] = [
  mutant(
    'an order is decided about without its lock',
    'life',
    /\d+ was refunded of \d+|the history leads to|the event status_changed .*: the status is/,
    [CHANGES, ' FOR NO KEY UPDATE`;', '`;'],
  ),
  mutant(
    'shipments are not limited to the ordered units',
    'life',
    /line \d+ has \d+ units, \d+ in shipments/,
    WITHOUT_LIMIT,
    [
      DOMAIN,
      '  if (items.length === 0 || !covers(unclaimedUnits, items)) throw order.beingPicked();',
      '  if (items.length === 0) throw order.beingPicked();',
    ],
    [
      DOMAIN,
      'if (items.length === 0 ? unshippedUnits.length === 0 : !covers(unshippedUnits, items)) {',
      'if (items.length === 0 && unshippedUnits.length === 0) {',
    ],
  ),
  mutant(
    'a change does not claim its key',
    'life',
    /key \S+ was answered (with different bytes|and is not kept)/,
    [
      LIFECYCLE,
      "(await findKept<KeptOrder | null>(readerOf(sql), 'change', idempotency))",
      '(null as Kept<KeptOrder> | null)',
    ],
    [LIFECYCLE, "(await claimKey<KeptOrder | null>(sql, 'change', idempotency))", 'null'],
  ),
  mutant(
    'a change of a shipment leaves no event',
    'life',
    /the history replays the shipments to/,
    [
      CHANGES,
      '    eventsOf(order, actor, events, false),',
      `    eventsOf(order, actor, events.filter(({ event }) => event !== 'shipment_changed'), false),`,
    ],
    [
      SCHEMA,
      '      AND reference = NEW.reference\n  ) THEN',
      '      AND reference = NEW.reference\n  ) AND false THEN',
    ],
  ),
  mutant(
    'the mail of a shipment forgets its reference',
    'life',
    /mail \S+-notify-shipment@\S+ is marked done and never arrived/,
    [
      STAGES,
      '[storeId, orderId, stage, reference, PIPELINE_STAGES.indexOf(stage) + 1]',
      `[storeId, orderId, stage, reference && '', PIPELINE_STAGES.indexOf(stage) + 1]`,
    ],
  ),
];
