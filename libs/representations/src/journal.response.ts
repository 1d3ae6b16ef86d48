import type { JournalRow } from '@app/application';
import { BOOKING_KINDS } from '@app/domain';
import { ACTOR, toActor } from './actor.js';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

export const TAX_LINE = is.object({
  name: is.text('Name of the tax.', 'VAT'),
  rate: is.number('In percent.', 19),
  amount: is.minorUnits('Negative where tax is taken back.', 895),
  included: is.flag('Whether the prices include it.', true),
});

export const JournalEntry = representation(
  'JournalEntry',
  is.object({
    id: is.text('Of the row: unique in the store, and never used again.', '4711'),
    at: is.timestamp('When it takes effect.'),
    booked_at: is.timestamp('When it was created.'),
    kind: is.oneOf(BOOKING_KINDS, 'What happened. New kinds may be added.', { example: 'payment' }),
    order_id: is.uuid('The order.'),
    receipt_number: is.text('Of the order.', 'WEB-20261120-ABC123'),
    reference: is.text('The payment or refund that it is about; `""` for none.', 'pi_3NX81'),
    external_reference: is.text('Of the order; `""` when it has none.', ''),
    currency: is.text('ISO 4217 code.', 'USD'),
    charged: is.minorUnits('Added to the `total_amount` of the order; negative: taken from it.', 0),
    credited: is.minorUnits('Added to its `amount_credited`.', 0),
    paid: is.minorUnits('Added to its `amount_paid`.', 15980),
    refunded: is.minorUnits('Added to its `amount_refunded`.', 0),
    tax_lines: is.arrayOf(TAX_LINE, 'The tax in `charged`, or in `credited`, by name and rate.', []),
    method: is.text('Payment method; `""` when it is unknown.', 'card'),
    fee: is.minorUnits('Fee of the gateway.', 480),
    payout: is.text('Payout of the gateway; `""` for none.', 'po_1NX82'),
    actor: ACTOR,
  }),
  { money: 'minor' },
);

export function toJournalEntry(row: JournalRow): ValueOf<typeof JournalEntry> {
  return {
    id: row.place.booking === '0' ? row.orderId : row.place.booking,
    at: row.at.toISOString(),
    booked_at: row.bookedAt.toISOString(),
    kind: row.kind,
    order_id: row.orderId,
    receipt_number: row.receiptNumber,
    reference: row.reference,
    external_reference: row.externalReference,
    currency: row.currency,
    charged: row.charged,
    credited: row.credited,
    paid: row.paid,
    refunded: row.refunded,
    tax_lines: row.taxLines.map(({ name, rate, amount, included }) => ({ name, rate, amount, included })),
    method: row.method,
    fee: row.fee,
    payout: row.payout,
    actor: toActor(row.actor),
  };
}
