import type { OrderEventRecord } from '@app/application';
import type { Actor, OrderEvent, StatusField } from '@app/domain';

const COLUMN_OF: Record<StatusField, string> = { status: 'status', fulfillmentStatus: 'fulfillment_status' };

export interface EventRow {
  readonly at: Date;
  readonly actor_type: Actor['type'];
  readonly actor_id: string;
  readonly actor_name: string;
  readonly event: OrderEvent['event'];
  readonly field: string | null;
  readonly from_value: string | null;
  readonly to_value: string | null;
  readonly reference: string;
  readonly details: OrderEvent['details'];
}

/**
 * The details are stored in the form of bundles, because an import adds events whose details the service does not know.
 */
export function toEventRow({ field, details, ...event }: OrderEvent) {
  const { changed, ...others } = details as { readonly changed?: readonly string[] };
  const named = Object.entries(others).map(([name, value]) => [snakeCase(name), value] as const);
  return {
    ...event,
    field: field && COLUMN_OF[field],
    details: { ...Object.fromEntries(named), ...(changed && { changed: changed.map(snakeCase) }) },
  };
}

export function toEventRecord(row: EventRow): OrderEventRecord {
  return {
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    event: row.event,
    field: row.field === COLUMN_OF.fulfillmentStatus ? 'fulfillmentStatus' : (row.field as 'status' | null),
    from: row.from_value,
    to: row.to_value,
    reference: row.reference,
    details: row.details,
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
