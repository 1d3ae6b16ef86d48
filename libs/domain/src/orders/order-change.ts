import type { Shortage } from './placement-errors.js';
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
 * The hash of a request, without its times and the units of its lines, which the record itself shows. After an erasure,
 * only the beginning of the hash is known; an imported record has none: `''`.
 */
export interface Repeatable {
  readonly requestHash: string;
}

export type RecordedShipment = Shipment & Repeatable & { readonly notify: boolean };
export type RecordedRefund = Omit<RefundRecord, 'at'> & Repeatable;
export type RecordedPayment = Omit<PaymentRecord, 'at'> & Repeatable;

export type ChangeMail = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

export interface DemandLine {
  /** Position in the order, from 0. */
  readonly position: number;
  /** Which part of the request needs the stock. */
  readonly source: Pick<Shortage, 'list' | 'line'>;
}

export interface LinesChange extends ChargedAmounts {
  /** Lines that the order already has, with their values after the change. */
  readonly changed: readonly ChargedLine[];
  /** New lines, which follow the existing ones. */
  readonly added: readonly OrderLine[];
  /** The growth of the amount and of the units of the order. */
  readonly amount: number;
  readonly units: number;
  /** The additional stock that the order needs. Its lines are positions in `demandLines`. */
  readonly demand: readonly StockDemand[];
  readonly demandLines: readonly DemandLine[];
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
  /** Whether a client gave the charges. If so, the service never recomputes them. */
  readonly hasGivenCharges: boolean;
}

/** Units that go back to bins. `RETURN`: they had shipped. `ORDER`: the lines gave them up before shipping. */
export interface Restock {
  readonly movement: 'CANCELLATION' | 'RETURN' | 'ORDER';
  readonly lines: readonly LineQuantity[];
  /** When absent, the units return to the bins that they came from. */
  readonly to?: BinCodes;
  /** Whether the units are those of `cancelledUnits` in the same change. */
  readonly isOfCancelledUnits?: true;
  /** The stock that the change takes afterwards. Its rows are locked together with those that receive units. */
  readonly alsoLocks?: readonly StockDemand[];
}

/** A mail, by its stage and what it is about. */
export interface MailOfOrder {
  readonly stage: string;
  /** The shipment or refund that the mail is about; `''` for none. */
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

/** What a change does to an order apart from its statuses, by kind. */
interface Effects {
  /** The shipment after the change. A time that is null while the status needs one is set to now. */
  readonly shipment: {
    readonly shipment: RecordedShipment;
    /** Where some of the units were picked. The allocations say where the others were. */
    readonly picked: readonly PickedUnits[];
    /** Whether the request ships a shipment that was being picked. */
    readonly shipsPicked: boolean;
  };
  /** A time that is null is set to now. */
  readonly payment: RecordedPayment & {
    readonly at: Date | null;
    /** Whether the payment stands for a status that was set by hand. It then does not change `total_spent`. */
    readonly isOfStatus?: true;
  };
  /** A time that is null is set to now. */
  readonly refund: RecordedRefund & { readonly at: Date | null };
  /** Units that the order cancels while others stay, and the credit for them. */
  readonly cancelledUnits: { readonly lines: readonly LineQuantity[]; readonly amount: number };
  /** What stays owed for the cancelled order, and the credit for the remainder. */
  readonly cancellationFee: { readonly amount: number; readonly credited: number };
  /** The changed and added lines; also present when only the charges of the same lines change. */
  readonly lines: LinesChange;
  readonly restock: Restock;
  /**
   * Adds these reasons to the review of the order, or ends its review. `abandoned` also drops its confirmation mail.
   */
  readonly review: { readonly to: { readonly heldFor: readonly string[] } | 'released' | 'abandoned' };
  /** Replaces the assessment of the order. */
  readonly assessment: FraudAssessment;
  readonly contact: BilledContact;
  readonly terms: OrderTerms;
  readonly mail: { readonly stage: ChangeMail; readonly reference: string };
  readonly repeatedMail: MailOfOrder;
  /** The metadata after the change: that of the order, and that of each changed line. */
  readonly metadata: { readonly ofOrder: Metadata; readonly lines: readonly LineMetadata[] };
}

export type EffectKind = keyof Effects;
export type EffectOf<Kind extends EffectKind> = { readonly kind: Kind } & Effects[Kind];
export type OrderEffect = { [Kind in EffectKind]: EffectOf<Kind> }[EffectKind];

/** A change without events changes nothing. */
export interface OrderChange extends OrderState {
  readonly events: readonly OrderEvent[];
  /** Each kind occurs at most once, except that each movement may have a restock. */
  readonly effects: readonly OrderEffect[];
  /** The time that the change is dated to. Absent or null means now. */
  readonly at?: Date | null;
  /** Whether the change could be repeated without end. It is refused when the order has `MAX_EVENTS`. */
  readonly isEndless?: boolean;
  /** The error that refuses the change. Its events are kept. */
  readonly refusal?: DomainError;
}

export function effectOf<Kind extends EffectKind>(
  { effects }: Pick<OrderChange, 'effects'>,
  kind: Kind,
): EffectOf<Kind> | undefined {
  return effects.find((effect): effect is OrderEffect & EffectOf<Kind> => effect.kind === kind);
}

/** Returns a reference that no client has used for any of the records. */
export function freeReference(records: readonly { readonly reference: string }[], word: string): string {
  const taken = new Set(records.map(({ reference }) => reference));
  let reference = word;
  for (let n = 2; taken.has(reference); n++) reference = `${word}-${n}`;
  return reference;
}
