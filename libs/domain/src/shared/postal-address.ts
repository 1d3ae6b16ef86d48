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

/**
 * The codes of ISO 3166-1 alpha-2 (2024), and XK: Kosovo has no code there, but carriers, the EU and the IMF use this
 * one.
 */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS ' +
    'BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE ' +
    'EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM ' +
    'HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC ' +
    'LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA ' +
    'NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
    'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO ' +
    'TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
  ).split(' '),
);

export function isCountry(code: string): boolean {
  return COUNTRIES.has(code);
}
