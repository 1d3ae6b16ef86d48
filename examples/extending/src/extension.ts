import path from 'node:path';
import { type Extension, LiveCatalogPricing } from 'store-commerce/infrastructure';
import { forwardedParcel } from './forwarded-parcel.js';
import { LoyaltyModule } from './loyalty/loyalty.module.js';
import { PriceListPricing } from './price-list-pricing.js';
import { readPriceList } from './price-list.js';
import { WebhookNotifier } from './webhook-notifier.js';

/**
 * What this team adds to the service.
 *
 * - `ORDERS_WEBHOOK_URL`, `ORDERS_WEBHOOK_SECRET`: the system that hears of each order; absent = none.
 * - `PRICE_LIST`: a file with one `SKU,price` per line; absent = the prices of the catalog.
 */
export function extension(env: Readonly<Record<string, string | undefined>>): Extension {
  const { ORDERS_WEBHOOK_URL: url, ORDERS_WEBHOOK_SECRET: secret, PRICE_LIST: file } = env;
  if (url && !secret) throw new Error('ORDERS_WEBHOOK_SECRET is not set');
  if (url && !url.startsWith('https://')) throw new Error('ORDERS_WEBHOOK_URL is not an https:// URL');
  return {
    fraudRules: [forwardedParcel],
    channels: url && secret ? { orders_webhook: { useValue: new WebhookNotifier(url, secret) } } : {},
    ...(file && {
      pricing: {
        useFactory: (catalog: LiveCatalogPricing) => new PriceListPricing(catalog, readPriceList(file)),
        inject: [LiveCatalogPricing],
      },
    }),
    modules: [LoyaltyModule],
    migrations: { schema: 'loyalty', directory: path.join(import.meta.dirname, 'migrations') },
  };
}
