import type { FulfillmentStatus, PaymentStatus } from '@app/domain';

/**
 * The store bundle: NDJSON, one object a line, discriminated by `kind`. A line refers to others by natural key (subdomain,
 * slug, SKU, `WAREHOUSE/BIN`), and its targets come before it.
 *
 * These are the shapes of well-formed lines; text read from a file has to be validated before it may carry these types.
 * An absent field means "not given": the default of a new row, and what is stored of one that exists. Closed
 * vocabularies are unions, the open ones (a product's status, a payment method) are plain strings.
 */

/** Settings that are kept as they are; their keys belong to the storefront, not to this service. */
export type SettingsObject = Readonly<Record<string, unknown>>;

/** One way to pay. `isSandbox` and `credentials` belong to gateways; credentials never leave the service. */
export interface BundlePaymentMethod {
  readonly methodId: string;
  readonly enabled: boolean;
  readonly isSandbox?: boolean;
  /** Null removes what is stored, absent leaves it. */
  readonly credentials?: SettingsObject | null;
}

/** Payment settings: the methods, and whatever else the storefront keeps beside them. */
export interface BundlePaymentSettings {
  readonly methods?: readonly BundlePaymentMethod[];
  readonly [key: string]: unknown;
}

/** What local fraud screening knows about this store. */
export interface BundleFraudSettings {
  readonly blocked_emails?: readonly string[];
  readonly blocked_phones?: readonly string[];
  /** Orders from this amount on are reviewed; minor units. */
  readonly review_amount?: number;
  /** Orders of one e-mail within an hour; those beyond are reviewed, null = never. Likewise of a phone and an address. */
  readonly review_orders_per_email?: number | null;
  readonly review_orders_per_phone?: number | null;
  readonly review_orders_per_address?: number | null;
}

/** How customers reach the store. */
export interface BundleContact {
  readonly email?: string;
  readonly phone?: string;
  readonly address?: string;
}

/** A store and its profile. Natural key: `subdomain`. */
export interface StoreLine {
  readonly kind: 'store';
  readonly subdomain: string;
  readonly name: string;
  readonly custom_domain?: string;
  /** ISO 4217 code. */
  readonly currency: string;
  readonly status?: 'ACTIVE' | 'INACTIVE';
  readonly logo_url?: string;
  /** `#rrggbb` */
  readonly primary_color?: string;
  readonly seo_title?: string;
  readonly contact?: BundleContact;
  readonly theme?: SettingsObject;
  readonly payment_settings?: BundlePaymentSettings;
  readonly ecommerce_settings?: SettingsObject;
  readonly fraud_settings?: BundleFraudSettings;
}

/** A place with bins. Stock in an inactive warehouse is not for sale. Natural key: store, `code`. */
export interface WarehouseLine {
  readonly kind: 'warehouse';
  readonly store: string;
  readonly code: string;
  readonly name: string;
  readonly active?: boolean;
}

/** A shelf place. Natural key: store, `warehouse`, `code`. */
export interface BinLine {
  readonly kind: 'bin';
  readonly store: string;
  readonly warehouse: string;
  readonly code: string;
}

/** A maker. Natural key: store, `slug`. */
export interface BrandLine {
  readonly kind: 'brand';
  readonly store: string;
  readonly slug: string;
  readonly name: string;
  readonly logo?: string;
  readonly description?: string;
  readonly active?: boolean;
}

/** A category. Natural key: store, `slug`. */
export interface CategoryLine {
  readonly kind: 'category';
  readonly store: string;
  readonly slug: string;
  readonly name: string;
  readonly image?: string;
  readonly description?: string;
  /** Display order. */
  readonly order?: number;
  /** Slug of the parent; null or absent for a top-level category. */
  readonly parent?: string | null;
  readonly active?: boolean;
}

/** A picture of a product. */
export interface BundleImage {
  readonly url: string;
  readonly alt?: string;
}

/** A named property of a product. */
export interface BundleSpecification {
  readonly name: string;
  readonly value: string;
}

/** One buyable form of a product. Natural key: product, `sku`. */
export interface BundleVariant {
  readonly sku: string;
  readonly name: string;
  /** Decimal text in major units, such as `"82.00"`. */
  readonly price: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly status?: string;
}

/** A product with its variants. Natural key: store, `slug`. */
export interface ProductLine {
  readonly kind: 'product';
  readonly store: string;
  readonly slug: string;
  readonly sku?: string;
  readonly name: string;
  /** Decimal text in major units, such as `"79.90"`. */
  readonly price: string;
  readonly status?: string;
  readonly featured?: boolean;
  readonly description?: string;
  /** Slug of the brand. */
  readonly brand?: string | null;
  /** Slugs of the categories. */
  readonly categories?: readonly string[];
  readonly images?: readonly BundleImage[];
  readonly specifications?: readonly BundleSpecification[];
  readonly variants?: readonly BundleVariant[];
  readonly created_at?: string;
}

/** The quantity of a product, or of one variant, in one bin. Natural key: `bin`, `product`, `variant`. */
export interface StockLine {
  readonly kind: 'stock';
  readonly store: string;
  /** `WAREHOUSE/BIN` */
  readonly bin: string;
  readonly product: string;
  /** SKU of the variant; null or absent for stock at product level. */
  readonly variant?: string | null;
  readonly quantity: number;
}

/** A customer account. Natural key: store and `email` in lower case, or else `id`, or else name, phone and `created_at`. */
export interface CustomerLine {
  readonly kind: 'customer';
  readonly store: string;
  /** UUID */
  readonly id?: string;
  readonly name: string;
  readonly email: string;
  readonly phone?: string;
  readonly status?: string;
  readonly email_verified?: boolean;
  readonly loyalty_points?: number;
  /** Minor units. */
  readonly total_spent?: number;
  readonly tags?: readonly string[];
  readonly city?: string;
  readonly created_at?: string;
  readonly last_login?: string | null;
  /** Stored, never returned, like the two fields after it. Empty removes what is stored. */
  readonly password_hash?: string;
  readonly verification_token?: string;
  /** Stored encrypted. */
  readonly national_id?: string;
}

/** What an import takes for a customer: an account from a till may have no e-mail. */
export type GivenCustomerLine = Omit<CustomerLine, 'email'> & Partial<Pick<CustomerLine, 'email'>>;

/** Where an order goes. */
export interface BundleAddress {
  readonly address?: string;
  readonly city?: string;
  readonly zip?: string;
}

/** One line of a past order: a snapshot that survives its product. */
export interface BundleOrderLine {
  /** Slug of the product, where it still exists. */
  readonly product?: string | null;
  /** SKU of the variant. */
  readonly variant?: string | null;
  readonly sku?: string;
  readonly name: string;
  /** Minor units. */
  readonly unit_price: number;
  readonly quantity: number;
}

/** A past order (`kind` "order"). Natural key: store, `receipt_number`. Named so as not to be taken for an order line. */
export interface OrderRecordLine {
  readonly kind: 'order';
  readonly store: string;
  /** UUID */
  readonly id?: string;
  readonly receipt_number: string;
  readonly source: 'POS' | 'WEBSITE';
  readonly status: PaymentStatus;
  readonly fulfillment_status: FulfillmentStatus;
  readonly payment_method: string;
  readonly currency: string;
  /** Sum of the lines; minor units. */
  readonly amount: number;
  /** What is owed: amount + tax + shipping − discount; minor units. */
  readonly total_amount: number;
  readonly customer_name?: string;
  readonly customer_email?: string;
  readonly customer_phone?: string;
  readonly shipping_address?: BundleAddress;
  readonly notes?: string;
  readonly created_at: string;
  readonly line_items: readonly BundleOrderLine[];
}

/** Any line of a store bundle. */
export type BundleLine =
  | StoreLine
  | WarehouseLine
  | BinLine
  | BrandLine
  | CategoryLine
  | ProductLine
  | StockLine
  | CustomerLine
  | OrderRecordLine;

/** Any line that an import takes. */
export type GivenLine = Exclude<BundleLine, CustomerLine> | GivenCustomerLine;
