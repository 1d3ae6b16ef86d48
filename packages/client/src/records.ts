import type { components } from './api.js';

export type Order = components['schemas']['OrderListItem'];
export type NewOrder = components['schemas']['CreateOrderRequest'];
export type PlacedOrder = components['schemas']['CreatedOrder'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type FullOrder = components['schemas']['Order'];
export type Sku = components['schemas']['SkuListItem'];
