import type { PublicStoreProfile } from '@app/application';
import { Type } from '@sinclair/typebox';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const PaymentMethod = is.object({
  methodId: is.text('`cod` for cash on delivery; otherwise the gateway.', 'stripe'),
  enabled: is.flag('Whether customers can choose it.', true),
  isSandbox: is.optional(is.flag("Whether the method uses the gateway's sandbox. Only on gateway methods.")),
  hasCredentials: is.flag('Whether gateway credentials are stored. No answer contains them.', true),
});

export const Store = representation(
  'Store',
  is.object({
    id: is.id('The store.', 1),
    name: is.text('Display name.', 'Acme'),
    subdomain: is.text('Name of the store in URLs. Unique.', 'acme'),
    customDomain: is.text('`""` when there is none.', 'shop.acme.example'),
    currency: is.text('ISO 4217 code of all prices and amounts of the store.', 'USD'),
    time_zone: is.text('IANA name of the time zone of its days and of the times in its mails.', 'Europe/Berlin'),
    logo_url: is.text('URL; `""` when there is none.', 'https://cdn.example/acme.png'),
    primary_color: is.text('Hex colour; `""` when there is none.', '#112233'),
    seo_title: is.text('`""` when there is none.', 'Acme: everything'),
    theme: is.freeForm('Settings of the storefront theme, without secrets.', { font: 'Inter' }),
    contact: is.freeForm('Contact details, without secrets.', { email: 'hello@acme.example' }),
    payment_settings: is.object({ methods: is.arrayOf(PaymentMethod, 'Payment methods of the storefront.') }),
    ecommerce_settings: Type.Object(
      { template_id: Type.Unknown({ description: 'Template of the storefront; `""` when there is none.' }) },
      {
        description: 'Settings of the storefront, without secrets.',
        additionalProperties: true,
        examples: [{ template_id: 'classic' }],
      },
    ),
  }),
);
/** The contract prescribes the names, both camelCase and snake_case. */
export function toStoreResponse(store: PublicStoreProfile): ValueOf<typeof Store> {
  return {
    id: store.id,
    name: store.name,
    subdomain: store.subdomain,
    customDomain: store.customDomain,
    currency: store.currency,
    time_zone: store.timeZone,
    logo_url: store.logoUrl,
    primary_color: store.primaryColor,
    seo_title: store.seoTitle,
    theme: store.theme,
    contact: store.contact,
    payment_settings: {
      methods: store.paymentSettings.methods.map(({ methodId, enabled, isSandbox, hasCredentials }) => ({
        methodId,
        enabled,
        // The value is undefined, and so absent from the JSON, for methods without a gateway.
        isSandbox,
        hasCredentials,
      })),
    },
    ecommerce_settings: { ...store.ecommerceSettings, template_id: store.ecommerceSettings['template_id'] ?? '' },
  };
}
