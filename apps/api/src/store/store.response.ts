import type { PublicStoreProfile } from '@app/application';

export type StoreResponse = ReturnType<typeof toStoreResponse>;

/** The names are those of the specification, camelCase and snake_case as they are there. */
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
        // Undefined for methods without a gateway, and then not in the JSON.
        isSandbox,
        hasCredentials,
      })),
    },
    ecommerce_settings: { ...store.ecommerceSettings, template_id: store.ecommerceSettings['template_id'] ?? '' },
  };
}
