import type pg from 'pg';
import { notFound, single } from './answers.js';
import type { Store } from './keys.js';

const FIND = `
  SELECT id, name, subdomain, custom_domain, currency, logo_url, primary_color, seo_title, theme, contact,
    payment_settings, ecommerce_settings,
    ARRAY(SELECT method_id FROM gateway_credentials WHERE store_id = stores.id) AS with_credentials
  FROM stores WHERE id = $1`;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly subdomain: string;
  readonly custom_domain: string;
  readonly currency: string;
  readonly logo_url: string;
  readonly primary_color: string;
  readonly seo_title: string;
  readonly theme: unknown;
  readonly contact: unknown;
  readonly payment_settings: { readonly methods: readonly Method[] };
  readonly ecommerce_settings: { readonly template_id?: string };
  readonly with_credentials: readonly string[];
}

interface Method {
  readonly methodId: string;
  readonly enabled: boolean;
  readonly isSandbox?: boolean;
}

export async function findStore(pool: pg.Pool, store: Store) {
  const { rows } = await pool.query<Row>({ name: 'store', text: FIND, values: [store.id] });
  const [row] = rows;
  if (!row) throw notFound('Store');
  return single({
    id: row.id,
    name: row.name,
    subdomain: row.subdomain,
    customDomain: row.custom_domain,
    currency: row.currency,
    logo_url: row.logo_url,
    primary_color: row.primary_color,
    seo_title: row.seo_title,
    theme: row.theme,
    contact: row.contact,
    payment_settings: {
      methods: row.payment_settings.methods.map(({ methodId, enabled, isSandbox }) => ({
        methodId,
        enabled,
        isSandbox,
        hasCredentials: row.with_credentials.includes(methodId),
      })),
    },
    ecommerce_settings: { ...row.ecommerce_settings, template_id: row.ecommerce_settings.template_id ?? '' },
  });
}
