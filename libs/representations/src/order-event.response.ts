import type { OrderEventRecord } from '@app/application';
import { ORDER_EVENTS, type StatusField } from '@app/domain';
import { ACTOR, toActor } from './actor.js';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

/** The JSON names of an order's statuses. */
export const STATUS_FIELDS = {
  status: 'status',
  fulfillmentStatus: 'fulfillment_status',
} as const satisfies Record<StatusField, string>;

export const OrderEvent = representation(
  'OrderEvent',
  is.object({
    at: is.timestamp('When it happened.'),
    actor: ACTOR,
    event: is.oneOf(ORDER_EVENTS, 'What happened. New events may be added.', { example: 'status_changed' }),
    field: is.orNull(
      is.text(
        'What a `status_changed` changed: `status` or `fulfillment_status`. Null for the others.',
        'fulfillment_status',
      ),
    ),
    from: is.orNull(is.text('The value before; null for the others.', 'PENDING')),
    to: is.orNull(is.text('The value after; null for the others.', 'CONFIRMED')),
    reference: is.text('The shipment, payment or refund that it is about, or follows from; `""` for none.', 'SHIP-1'),
    details: is.freeForm('Further details: units, amounts in minor units, a reason.', {}),
  }),
);

export function toOrderEvent(event: OrderEventRecord): ValueOf<typeof OrderEvent> {
  return {
    at: event.at.toISOString(),
    actor: toActor(event.actor),
    event: event.event,
    field: event.field && STATUS_FIELDS[event.field],
    from: event.from,
    to: event.to,
    reference: event.reference,
    details: event.details,
  };
}
