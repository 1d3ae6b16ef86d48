// Applications of other teams import this file as `store-commerce/domain`. It exports errors, the values that use cases
// and ports take and return, and the functions that make them.
export * from './errors.js';
export { DomainError, type FailureKind, type LineFault } from './shared/domain-error.js';

export type { ApiKeyMode } from './access/api-key.js';
export type { ApiKeyScope, ScopeWord } from './access/api-key-scope.js';
export type { Role } from './access/roles.js';
export type { FraudAssessment, FraudReason, FraudVerdict } from './fraud/fraud-assessment.js';
export type {
  ContactPart,
  FraudFacts,
  FraudSettings,
  FraudSignals,
  OrderContact,
  OrderSize,
  OrdersPerHour,
} from './fraud/fraud-facts.js';
export { type FraudRule, REJECT_SCORE, REVIEW_SCORE, type Screened, WEAK_SCORE } from './fraud/fraud-rules.js';
export { type Currency, isCurrency, minorUnitExponent } from './values/currency.js';
export { Money } from './money/money.js';
export type { PriceRefusalCode } from './money/price-change.js';
export type { PriceBreak, QuantityRule } from './money/price-list.js';
export type { BookedAmounts, Booking, BookingKind } from './orders/booking.js';
export type { Cancellation } from './orders/cancel-order.js';
export type { ContactPatch } from './orders/change-contact.js';
export type { LinesRequest } from './orders/change-lines.js';
export type { MetadataChange } from './orders/change-metadata.js';
export type { ChargeableOrder } from './orders/chargeable-order.js';
export { type Charges, type GivenCharges, type LineCharges, NO_CHARGES } from './orders/charges.js';
export type { LineQuantity } from './orders/line-units.js';
export type { Transition } from './orders/move-status.js';
export type { ChargedLine, MailOfOrder, OrderTerms, Repeatable } from './orders/order-change.js';
export {
  type Actor,
  extensionActor,
  type OrderEvent,
  type OrderEventName,
  type StatusField,
} from './orders/order-event.js';
export { type OrderLine, type OrderLineDraft, orderLineOf, type VariantAttributes } from './orders/order-line.js';
export type {
  MoneyRecord,
  OrderLedger,
  PaymentDetails,
  PaymentRecord,
  RefundedUnits,
  RefundReason,
  RefundRecord,
} from './orders/order-money.js';
export type { FulfillmentStatus, OrderState, PaymentStatus } from './orders/order-status.js';
export type { OrderCustomer, ShippingContact } from './orders/order.js';
export type { OrderPatch } from './orders/patch-order.js';
export type { PaymentMethod, Quote } from './orders/quote.js';
export type { PaymentRequest } from './orders/record-payment.js';
export type { RefundRequest } from './orders/record-refund.js';
export type { ShipmentItem, ShipmentPatch, ShipmentRequest } from './orders/ship-order.js';
export type { BinCodes, BinUnits, Shipment, ShipmentStatus, Tracking } from './orders/shipment.js';
export type { Tax, TaxLine } from './orders/tax.js';
export type { Metadata, MetadataPatch } from './shared/metadata.js';
export { type AddressField, type BillingAddress, type PostalAddress, wholeAddress } from './shared/postal-address.js';
export type { CountBasis, MovementKind, StockRefusalCode, StockWrite } from './stock/stock-change.js';
export type { StockItem } from './stock/stock-demand.js';
