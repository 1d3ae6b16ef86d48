import type { PublicStoreProfile } from '@app/application';
import { arrayOf, flag, freeForm, id, object, text } from '../openapi/schema.js';

export type StoreResponse = ReturnType<typeof toStoreResponse>;

/** The names, camelCase and snake_case, are the contract's. */
export function toStoreResponse(store: PublicStoreProfile) {
  return {
    id: store.id,
    name: store.name,
    subdomain: store.subdomain,
    customDomain: store.customDomain,
    currency: store.currency,
    logo_url: store.logoUrl,
    primary_color: store.primaryColor,
    seo_title: store.seoTitle,
    theme: store.theme,
    contact: store.contact,
    payment_settings: {
      methods: store.paymentSettings.methods.map(({ methodId, enabled, isSandbox, hasCredentials }) => ({
        methodId,
        enabled,
        // Undefined, and so absent from the JSON, for methods without a gateway.
        isSandbox,
        hasCredentials,
      })),
    },
    ecommerce_settings: { ...store.ecommerceSettings, template_id: store.ecommerceSettings['template_id'] ?? '' },
  };
}

type PaymentMethod = StoreResponse['payment_settings']['methods'][number];

export const STORE = object<StoreResponse>({
  id: id('The store.'),
  name: text('Display name.', 'Acme'),
  subdomain: text('Name of the store in URLs. Unique.', 'acme'),
  customDomain: text('`""` when there is none.', 'shop.acme.example'),
  currency: text('ISO 4217 code of all prices and amounts of the store.', 'USD'),
  logo_url: text('URL; `""` when there is none.', 'https://cdn.example/acme.png'),
  primary_color: text('Hex colour; `""` when there is none.', '#112233'),
  seo_title: text('`""` when there is none.', 'Acme: everything'),
  theme: freeForm('Settings of the storefront theme, without secrets.'),
  contact: freeForm('Contact details, without secrets.'),
  payment_settings: object<StoreResponse['payment_settings']>({
    methods: arrayOf(
      object<PaymentMethod>(
        {
          methodId: text('`cod` for cash on delivery; otherwise the gateway.', 'cod'),
          enabled: flag('Whether customers can choose it.'),
          isSandbox: flag("Whether the method uses the gateway's sandbox. Only on gateway methods."),
          hasCredentials: flag('Whether gateway credentials are stored. No answer contains them.'),
        },
        { optional: ['isSandbox'] },
      ),
      'Payment methods of the storefront.',
    ),
  }),
  ecommerce_settings: {
    ...freeForm('Settings of the storefront, without secrets.'),
    properties: { template_id: { description: 'Template of the storefront; `""` when there is none.' } },
    required: ['template_id'],
  },
});
