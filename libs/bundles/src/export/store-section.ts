import { publicPaymentSettings, publicSettings } from '@app/domain';
import type { StoreLine } from '../bundle/schema/bundle.js';
import { contact, fraudSettings } from '../bundle/schema/store-line.js';
import type { Section } from './section.js';

interface StoreRow extends Pick<
  Required<StoreLine>,
  'id' | 'name' | 'custom_domain' | 'status' | 'logo_url' | 'primary_color' | 'seo_title'
> {
  readonly contact: unknown;
  readonly theme: unknown;
  readonly payment_settings: unknown;
  readonly ecommerce_settings: unknown;
  readonly fraud_settings: unknown;
}

/** The profile as the API shows it: settings that look secret are left out, and credentials are in another table. */
export const STORE: Section<StoreRow> = {
  kind: 'store',
  columns: `item.id, item.name, item.custom_domain, item.status, item.logo_url, item.primary_color, item.seo_title,
    item.contact, item.theme, item.payment_settings, item.ecommerce_settings, item.fraud_settings`,
  rows: 'stores AS item WHERE item.id = $1',
  changed: null,
  key: ['item.id'],
  toLine: (row, { subdomain, currency }) => ({
    kind: 'store',
    id: row.id,
    subdomain,
    name: row.name,
    custom_domain: row.custom_domain,
    currency,
    status: row.status,
    logo_url: row.logo_url,
    primary_color: row.primary_color,
    seo_title: row.seo_title,
    contact: known(publicSettings(row.contact), contact),
    theme: publicSettings(row.theme),
    payment_settings: paymentSettings(row.payment_settings),
    ecommerce_settings: publicSettings(row.ecommerce_settings),
    fraud_settings: known(row.fraud_settings, fraudSettings),
  }),
};

/** Without a list of methods where the store has none, so that an import of the line changes nothing. */
function paymentSettings(stored: unknown): object {
  if (!Object.hasOwn(stored ?? {}, 'methods')) return {};
  return {
    methods: publicPaymentSettings(stored, () => false).methods.map(({ hasCredentials: _, ...method }) => method),
  };
}

/** The fields that a bundle knows. */
function known(settings: unknown, { properties }: { readonly properties: object }): object {
  const entries = Object.entries(settings ?? {});
  return Object.fromEntries(entries.filter(([name]) => Object.hasOwn(properties, name)));
}
