interface AddressFieldDeclaration {
  /** In code points. */
  readonly max: number;
  readonly description: string;
  readonly example: string;
}

/**
 * The fields of an address, as requests, answers, mails and files have them, in their order. The fields of a row, a body,
 * a bundle and the document derive from this declaration.
 */
export const ADDRESS_FIELDS = {
  address: { max: 500, description: 'Street and number, in one or more lines.', example: '12 Harbor Street' },
  city: { max: 200, description: 'City.', example: 'Portland' },
  zip: { max: 32, description: 'Postal code.', example: '04101' },
  region: { max: 200, description: 'State, province or county.', example: 'ME' },
  country: { max: 2, description: 'ISO 3166-1 alpha-2 or XK.', example: 'US' },
} as const satisfies Readonly<Record<string, AddressFieldDeclaration>>;

export type AddressField = keyof typeof ADDRESS_FIELDS;

/** `''` for an absent value. The country is in upper case. */
export type PostalAddress = Readonly<Record<AddressField, string>>;

type FieldEntry = readonly [name: AddressField, declaration: AddressFieldDeclaration];
const ENTRIES = Object.entries(ADDRESS_FIELDS) as FieldEntry[];

/** One value for each field. */
export function mapAddressFields<T>(valueOf: (...entry: FieldEntry) => T): Record<AddressField, T> {
  const entries = ENTRIES.map((entry) => [entry[0], valueOf(...entry)] as const);
  return Object.fromEntries(entries) as Record<AddressField, T>;
}

export function wholeAddress(given: { readonly [Name in AddressField]?: string | null }): PostalAddress {
  return mapAddressFields((name) => given[name] ?? '');
}
