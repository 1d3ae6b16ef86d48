import { type Extension, LiveCatalogPricing } from 'store-commerce/infrastructure';
import { ChatNotifier } from './chat-notifier.js';
import { forwardedParcel } from './forwarded-parcel.js';
import { LoyaltyModule } from './loyalty/loyalty.module.js';
import { Accounts1795564800001 } from './migrations/1795564800001-accounts.js';
import { PaymentsModule, readSecrets } from './payments/payments.module.js';
import { PriceListPricing } from './price-list-pricing.js';
import { readPriceList } from './price-list.js';
import { ShippingAndVat } from './shipping-and-vat.js';

/**
 * What this team adds to the service.
 *
 * - `ORDERS_CHAT_URL`: the incoming webhook of the chat that hears of each order; absent = none.
 * - `PRICE_LIST`: a file with one `SKU,price` or `SKU,price,customer` per line; absent = the prices of the catalog.
 * - `PAYMENT_SECRETS`: `STORE=SECRET,…`, with which the payment provider signs the events of each store; absent = no route for events.
 * - `FREE_SHIPPING_FROM`: an amount in minor units; absent = orders cost what their lines cost.
 */
export function extension(env: Readonly<Record<string, string | undefined>>): Extension {
  const { ORDERS_CHAT_URL: chat, PRICE_LIST: file, FREE_SHIPPING_FROM: free, PAYMENT_SECRETS: secrets } = env;
  if (chat && !URL.canParse(chat)) throw new Error('ORDERS_CHAT_URL is not a URL');
  if (free && !/^\d{1,12}$/.test(free)) throw new Error('FREE_SHIPPING_FROM is not an amount in minor units');
  return {
    fraudRules: [forwardedParcel],
    channels: chat ? { chat: { useValue: new ChatNotifier(chat) } } : {},
    ...(file && {
      pricing: {
        useFactory: (catalog: LiveCatalogPricing) => new PriceListPricing(catalog, readPriceList(file)),
        inject: [LiveCatalogPricing],
      },
    }),
    ...(free && { charges: { useValue: new ShippingAndVat(Number(free)) } }),
    modules: [LoyaltyModule, ...(secrets ? [PaymentsModule.on(readSecrets(secrets))] : [])],
    migrations: { schema: 'loyalty', migrations: [Accounts1795564800001] },
  };
}
