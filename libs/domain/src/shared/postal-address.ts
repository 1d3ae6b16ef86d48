interface AddressFieldDeclaration {
  /** The maximum length in code points. */
  readonly max: number;
  readonly description: string;
  readonly example: string;
}

/**
 * The fields of an address, in the sequence of requests, answers, mails and files. The names are those of the JSON:
 * bodies, rows, answers, bundles and the API document derive from this declaration.
 */
export const ADDRESS_FIELDS = {
  company: { max: 200, description: 'Name of the company.', example: 'Lovelace Engines Ltd' },
  vat_id: { max: 64, description: 'VAT number, as given: its form is not checked.', example: 'GB123456789' },
  address: { max: 500, description: 'Street and number, in one or more lines.', example: '12 Harbor Street' },
  address2: { max: 500, description: 'Second line, such as a building or a floor.', example: 'Floor 3' },
  city: { max: 200, description: 'City.', example: 'Portland' },
  zip: { max: 32, description: 'Postal code.', example: '04101' },
  region: { max: 200, description: 'State, province or county.', example: 'ME' },
  country: { max: 2, description: 'ISO 3166-1 alpha-2 or XK.', example: 'US' },
} as const satisfies Readonly<Record<string, AddressFieldDeclaration>>;

export type AddressField = keyof typeof ADDRESS_FIELDS;

/** An absent value is `''`. The country is in upper case. */
export type PostalAddress = Readonly<Record<AddressField, string>>;

/** An absent value is `''`. */
export interface BillingAddress extends PostalAddress {
  readonly name: string;
}

type FieldEntry = readonly [name: AddressField, declaration: AddressFieldDeclaration];
const ENTRIES = Object.entries(ADDRESS_FIELDS) as FieldEntry[];

/** Maps each field to a value. */
export function mapAddressFields<T>(valueOf: (...entry: FieldEntry) => T): Record<AddressField, T> {
  const entries = ENTRIES.map((entry) => [entry[0], valueOf(...entry)] as const);
  return Object.fromEntries(entries) as Record<AddressField, T>;
}

type Given<Address> = { readonly [Name in keyof Address]?: string | null };

export function wholeAddress(given: Given<PostalAddress>): PostalAddress {
  return mapAddressFields((name) => given[name] ?? '');
}

/** Omits the fields that have no value. Addresses are stored in this form. */
export function filledFields<Address extends Given<BillingAddress>>(address: Address): Partial<Address> {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value !== '')) as Partial<Address>;
}

export function wholeBillingAddress(given: Given<BillingAddress>): BillingAddress {
  return { name: given.name ?? '', ...wholeAddress(given) };
}
