import type { Shortage } from '../errors.js';
import type { FraudAssessment } from '../fraud/fraud-assessment.js';
import type { DomainError } from '../shared/domain-error.js';
import type { Metadata } from '../shared/metadata.js';
import type { StockDemand } from '../stock/stock-demand.js';
import type { LineQuantity } from './line-units.js';
import type { OrderEvent } from './order-event.js';
import type { OrderLine } from './order-line.js';
import type { MoneyRecord, PaymentRecord, RefundRecord } from './order-money.js';
import type { OrderState } from './order-status.js';
import type { ShippingContact } from './order.js';
import type { BinCodes, PickedUnits, Shipment } from './shipment.js';

/**
 * Identifies a request, whatever its times are. Of two requests of which one lacks optional lines, the one hash begins the
 * other. Once its person is erased, the first character is known; of an imported record, nothing.
 */
export interface Repeatable {
  readonly requestHash: string;
}

export type KnownShipment = Shipment & Repeatable & { readonly notify: boolean };
export type KnownMoney = Omit<MoneyRecord, 'at'> & Repeatable;
export type KnownPayment = Omit<PaymentRecord, 'at'> & Repeatable;

export type ChangeMail = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

export interface LinesChange {
  /** Present lines, with their new quantities. */
  readonly quantities: readonly LineQuantity[];
  /** They follow the present ones. */
  readonly added: readonly OrderLine[];
  /** What the amount and the units of the order grow by. */
  readonly amount: number;
  readonly units: number;
  readonly totalAmount: number;
  /** The stock that the order needs more. Its lines are positions in `places`. */
  readonly demand: readonly StockDemand[];
  readonly places: readonly Pick<Shortage, 'list' | 'line'>[];
}

/** Units that go back to bins. Only those of a RETURN have left. ORDER: the lines gave them up. */
export interface Restock {
  readonly kind: 'CANCELLATION' | 'RETURN' | 'ORDER';
  readonly lines: readonly LineQuantity[];
  /** Absent = where they came from. */
  readonly to?: BinCodes;
}

/** The stage of a mail. */
export interface MailOfOrder {
  readonly stage: string;
  /** The shipment or refund that it is about; `''` for none. */
  readonly reference: string;
}

export interface LineMetadata {
  readonly line: number;
  readonly metadata: Metadata;
}

/** Without events, nothing changes. */
export interface OrderChange extends OrderState {
  readonly events: readonly OrderEvent[];
  /** As it is afterwards. A time that is null for its status is now. */
  readonly shipment?: KnownShipment;
  /** Where units of the shipment were picked; of the others, the allocations say so. */
  readonly picked?: readonly PickedUnits[];
  /** The request was to make the shipment, which was being picked. */
  readonly shipsPicked?: boolean;
  readonly payment?: KnownPayment & { readonly at: Date | null };
  readonly refund?: KnownMoney & Pick<RefundRecord, 'lines'> & { readonly at: Date | null };
  /** Units that the order gives up, while others stay. */
  readonly cancelled?: readonly LineQuantity[];
  readonly lines?: LinesChange;
  readonly restock?: Restock;
  readonly review?: 'held' | 'released' | 'abandoned';
  /** Why the order is held; absent when a person holds it. */
  readonly assessment?: FraudAssessment;
  readonly contact?: ShippingContact;
  readonly mail?: { readonly stage: ChangeMail; readonly reference: string };
  readonly repeatedMail?: MailOfOrder;
  /** As it is afterwards: of the order, and of the lines that change. */
  readonly metadata?: { readonly ofOrder: Metadata; readonly lines: readonly LineMetadata[] };
  /** The change is refused, and its events are kept. */
  readonly refusal?: DomainError;
}
