import type { FraudAssessment } from '../fraud/fraud-assessment.js';
import type { DomainError } from '../shared/domain-error.js';
import type { LineQuantity } from './line-units.js';
import type { OrderEvent } from './order-event.js';
import type { MoneyRecord } from './order-money.js';
import type { OrderState } from './order-status.js';
import type { ShippingContact } from './order.js';
import type { Shipment } from './shipment.js';

/**
 * Identifies a request, whatever its times are. Of two requests of which one lacks optional lines, the one hash begins the
 * other. Once its person is erased, the first character is known; of an imported record, nothing.
 */
export interface Repeatable {
  readonly requestHash: string;
}

export type KnownShipment = Shipment & Repeatable & { readonly notify: boolean };
export type KnownMoney = Omit<MoneyRecord, 'at'> & Repeatable;

export type ChangeMail = 'notify-shipment' | 'notify-cancellation' | 'notify-refund';

/** Without events, nothing changes. */
export interface OrderChange extends OrderState {
  readonly events: readonly OrderEvent[];
  /** As it is afterwards. A time that is null for its status is now. */
  readonly shipment?: KnownShipment;
  /** The request was to make the shipment, which was being picked. */
  readonly shipsPicked?: boolean;
  readonly payment?: KnownMoney & { readonly at: Date | null };
  readonly refund?: KnownMoney & { readonly at: Date | null };
  /** Units that go back to their bins. In a cancellation, they have not left. */
  readonly restock?: { readonly kind: 'CANCELLATION' | 'RETURN'; readonly lines: readonly LineQuantity[] };
  readonly review?: 'held' | 'released' | 'abandoned';
  /** Why the order is held; absent when a person holds it. */
  readonly assessment?: FraudAssessment;
  readonly contact?: ShippingContact;
  readonly mail?: { readonly stage: ChangeMail; readonly reference: string };
  /** The change is refused, and its events are kept. */
  readonly refusal?: DomainError;
}
