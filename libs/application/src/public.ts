// Applications of other teams import this file as `store-commerce/application`. It exports errors, use cases, ports,
// and their types. Each class is its own injection token. Use cases and ports for operators, workers and sign-ins are
// not exported.
export * from './errors.js';
export { canonicalHash } from './canonical-hash.js';
export { Deadline } from './deadline.js';

// These are the use cases.
export { BrandsService, CategoriesService, ProductsService, SkusService } from './catalog/catalog.service.js';
export { ChangePrices } from './catalog/change-prices.js';
export { PriceListsService } from './catalog/price-lists.service.js';
export { type CollectedData, CustomersService, type EraseCustomerCommand } from './customers/customers.service.js';
export { type ChangeContext, ChangeOrder, type Dated, type EditedLines, type Note } from './orders/change-order.js';
export { type CreatedOrder, CreateOrder, type CreateOrderCommand, type OrderRequest } from './orders/create-order.js';
export type { ItemRequest, QuoteRequest } from './orders/order-quotes.js';
export { OrdersService } from './orders/orders.service.js';
export { type OrderPreview, PreviewOrder, type PreviewOrderCommand } from './orders/preview-order.js';
export { StockService } from './stock/stock.service.js';
export { type PublicStoreProfile, StoreProfileService } from './stores/store-profile.service.js';

// An extension implements these ports.
export {
  CatalogPricing,
  type LineRequest,
  type PricedCustomer,
  type PricedItems,
  type PriceRequest,
} from './ports/catalog-pricing.js';
export { Notifier, UndeliverableMessage } from './ports/notifier.js';
export { OrderCharges } from './ports/order-charges.js';
export type { NotificationStage } from './ports/pipeline-stages.js';

// An extension calls these ports.
export { type BrandFilter, type BrandRecord, BrandRepository } from './ports/brand.repository.js';
export { type CategoryFilter, type CategoryRecord, CategoryRepository } from './ports/category.repository.js';
export { Clock } from './ports/clock.js';
export {
  type CustomerFilter,
  type CustomerRecord,
  CustomerRepository,
  type ListedCustomer,
} from './ports/customer.repository.js';
export {
  type Allocation,
  type JournalFilter,
  type JournalPage,
  type JournalPosition,
  type JournalRow,
  type JournalRows,
  type ListedOrder,
  type MailOutcome,
  type OrderEventRecord,
  type OrderFilter,
  type OrderKey,
  type OrderLineRecord,
  type OrderLocation,
  type OrderRecord,
  OrderRepository,
  type OrderSummary,
  type OrderSums,
  type OrderSumsFilter,
  type PipelineStageRecord,
  type ProductSums,
  type ProductSumsFilter,
  type ShipmentRecord,
} from './ports/order.repository.js';
export {
  type ListedProduct,
  type ProductFilter,
  type ProductRecord,
  ProductRepository,
  type ProductSummary,
  type ProductVariantRecord,
} from './ports/product.repository.js';
export {
  type ResolvedSku,
  type SkuFilter,
  type SkuId,
  type SkuRecord,
  SkuRepository,
  type WarehouseUnits,
} from './ports/sku.repository.js';
export {
  type StockFilter,
  type StockId,
  type StockRecord,
  StockRepository,
  type WarehouseRecord,
} from './ports/stock.repository.js';
export { type StoreProfile, StoreRepository, type StoreStatus, type StoreSummary } from './ports/store.repository.js';

// Ports of both groups use these types.
export {
  actorOf,
  type ApiKeyLookup,
  type ApiKeyRecord,
  type ApiKeyStatus,
  type SignedInPerson,
} from './ports/api-key.repository.js';
export { type ChangeOrigin, originOf } from './ports/audit-log.js';
export type { IdempotencyScope, IdempotentRequest } from './ports/idempotency.js';
export type { ChangedOrder, OrderTarget } from './ports/order-lifecycle.js';
export type { OrderReceipt, PlacementCheck, QuotedAmounts } from './ports/order-placement.js';
export {
  type CreatedFilter,
  MAX_LIMIT,
  NEWEST_FIRST,
  type Page,
  type PageOf,
  type Position,
  type Sort,
  type TimeRange,
  type UpdatedFilter,
} from './ports/page.js';
export type { Erasure, PersonalDataReader, PersonalRecord, PersonalRecords } from './ports/personal-data.js';
export type { ChangedPrices, PriceChangeRequest, PriceLine, PriceLineResult } from './ports/price-changes.js';
export {
  type PriceList,
  type PriceListFilter,
  PriceListRepository,
  type UnitPrices,
  type UnitPricesFilter,
  type UnitPricesPage,
} from './ports/price-list.repository.js';
export type {
  ChangedStock,
  InvalidLine,
  StockChangeRequest,
  StockLine,
  StockLineResult,
  StockUnit,
} from './ports/stock-changes.js';
export type { MovementFilter, StockDifference, StockMovement, StockVerification } from './ports/stock-ledger.js';
