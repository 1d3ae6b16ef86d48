export * from './access/access-errors.js';
export * from './customers/customer-errors.js';
export * from './money/price-errors.js';
export * from './orders/change-errors.js';
export * from './orders/placement-errors.js';
export * from './shared/request-errors.js';
export * from './stock/stock-errors.js';
export * from './webhooks/webhook-errors.js';
