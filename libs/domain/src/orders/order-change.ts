import type { Shortage } from '../errors.js';
import type { FraudAssessment } from '../fraud/fraud-assessment.js';
import type { DomainError } from '../shared/domain-error.js';
import type { Metadata } from '../shared/metadata.js';
import type { StockDemand } from '../stock/stock-demand.js';
import type { LineCharges } from './charges.js';
import type { LineQuantity } from './line-units.js';
import type { OrderEvent } from './order-event.js';
import type { OrderLine } from './order-line.js';
import type { PaymentRecord, RefundRecord } from './order-money.js';
import type { OrderState } from './order-status.js';
import type { BilledContact } from './order.js';
import type { BinCodes, PickedUnits, Shipment } from './shipment.js';
import type { Tax } from './tax.js';

/**
 * The hash of a request without its times and the units of its lines, which the record itself shows. Once its person is
 * erased, its beginning is known; of an imported record, nothing: `''`.
 */
export interface Repeatable {
  readonly requestHash: string;
}

export type RecordedShipment = Shipment & Repeatable & { readonly notify: boolean };
export type RecordedRefund = Omit<RefundRecord, 'at'> & Repeatable;
export type RecordedPayment = Omit<PaymentRecord, 'at'> & Repeatable;

export type ChangeMail = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

export interface WantedLine {
  /** Position in the order, from 0. */
  readonly position: number;
  /** Where the request asks for it. */
  readonly place: Pick<Shortage, 'list' | 'line'>;
}

export interface LinesChange extends ChargedAmounts {
  /** Present lines, with what they have afterwards. */
  readonly changed: readonly ChargedLine[];
  /** They follow the present ones. */
  readonly added: readonly OrderLine[];
  /** What the amount and the units of the order grow by. */
  readonly amount: number;
  readonly units: number;
  /** The stock that the order needs more. Its lines are positions in `wanted`. */
  readonly demand: readonly StockDemand[];
  readonly wanted: readonly WantedLine[];
}

export interface ChargedLine extends LineQuantity, LineCharges {
  /** In minor units. */
  readonly unitPrice: number;
}

/** The amounts of an order that its charges decide, in minor units. */
export interface ChargedAmounts {
  readonly totalAmount: number;
  readonly taxAmount: number;
  readonly discountAmount: number;
  readonly shippingAmount: number;
  readonly shippingTax: readonly Tax[];
  readonly isTaxIncluded: boolean;
  /** Whether a client has given the charges: the service does not charge the order again. */
  readonly hasGivenCharges: boolean;
}

/** Units that go back to bins. Only those of a RETURN have left. ORDER: the lines gave them up. */
export interface Restock {
  readonly movement: 'CANCELLATION' | 'RETURN' | 'ORDER';
  readonly lines: readonly LineQuantity[];
  /** Absent = where they came from. */
  readonly to?: BinCodes;
  /** The units are those of `cancelledUnits` in the same change. */
  readonly isOfCancelledUnits?: true;
  /** The stock that the change takes afterwards: its rows are locked with those that get the units. */
  readonly alsoLocks?: readonly StockDemand[];
}

/** The stage of a mail. */
export interface MailOfOrder {
  readonly stage: string;
  /** The shipment or refund that it is about; `''` for none. */
  readonly reference: string;
}

export interface OrderTerms {
  /** `''` for none. */
  readonly externalReference: string;
  readonly paymentMethod: string;
}

export interface LineMetadata {
  readonly line: number;
  readonly metadata: Metadata;
}

/** What a change does to an order beside its statuses, by kind. */
interface Effects {
  /** The shipment as it is afterwards. A time that is null for its status is now. */
  readonly shipment: {
    readonly shipment: RecordedShipment;
    /** Where units of it were picked; the allocations say where the others were. */
    readonly picked: readonly PickedUnits[];
    /** The request was to make the shipment, which was being picked. */
    readonly shipsPicked: boolean;
  };
  /** A time that is null is now. */
  readonly payment: RecordedPayment & {
    readonly at: Date | null;
    /** It is what a status that was set stood for, and does not move `total_spent`. */
    readonly isOfStatus?: true;
  };
  /** A time that is null is now. */
  readonly refund: RecordedRefund & { readonly at: Date | null };
  /** Units that the order gives up, while others stay, and the credit for them. */
  readonly cancelledUnits: { readonly lines: readonly LineQuantity[]; readonly amount: number };
  /** What stays owed of the cancelled order, and the credit for the rest. */
  readonly cancellationFee: { readonly amount: number; readonly credited: number };
  /** Also other charges of the same lines. */
  readonly lines: LinesChange;
  readonly restock: Restock;
  /** Puts the order under review for these reasons as well, or ends its review; `abandoned` drops its confirmation. */
  readonly review: { readonly to: { readonly heldFor: readonly string[] } | 'released' | 'abandoned' };
  /** Replaces the assessment of the order. */
  readonly assessment: FraudAssessment;
  readonly contact: BilledContact;
  readonly terms: OrderTerms;
  readonly mail: { readonly stage: ChangeMail; readonly reference: string };
  readonly repeatedMail: MailOfOrder;
  /** The metadata afterwards: that of the order, and of the lines that change. */
  readonly metadata: { readonly ofOrder: Metadata; readonly lines: readonly LineMetadata[] };
}

export type EffectKind = keyof Effects;
export type EffectOf<Kind extends EffectKind> = { readonly kind: Kind } & Effects[Kind];
export type OrderEffect = { [Kind in EffectKind]: EffectOf<Kind> }[EffectKind];

/** A change without events changes nothing. */
export interface OrderChange extends OrderState {
  readonly events: readonly OrderEvent[];
  /** No two effects have the same kind, but for a restock of each movement. */
  readonly effects: readonly OrderEffect[];
  /** When it is booked; absent or null: now. */
  readonly at?: Date | null;
  /** It could be made any number of times, so it is refused when the order has `MAX_EVENTS`. */
  readonly isEndless?: boolean;
  /** The change is refused, and its events are kept. */
  readonly refusal?: DomainError;
}

export function effectOf<Kind extends EffectKind>(
  { effects }: Pick<OrderChange, 'effects'>,
  kind: Kind,
): EffectOf<Kind> | undefined {
  return effects.find((effect): effect is OrderEffect & EffectOf<Kind> => effect.kind === kind);
}

/** A reference that no client has given to one of the records. */
export function freeReference(records: readonly { readonly reference: string }[], word: string): string {
  const taken = new Set(records.map(({ reference }) => reference));
  let reference = word;
  for (let n = 2; taken.has(reference); n++) reference = `${word}-${n}`;
  return reference;
}
