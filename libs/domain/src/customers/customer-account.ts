import { CustomerTooLarge, MetadataTooLarge } from '../errors.js';
import { isMetadataSmall, METADATA_LIMITS, withPatch, type Metadata, type MetadataPatch } from '../shared/metadata.js';
import { wholeAddress, type PostalAddress } from '../shared/postal-address.js';
import { ACCOUNT_BYTES } from '../shared/customer-limits.js';

/** An address of an account. `''` for an absent value. */
export interface AccountAddress extends PostalAddress {
  /** What the address is for, such as `Warehouse`. */
  readonly label: string;
}

/** A person of a company. An order with the e-mail is an order of the company. `''` for an absent value. */
export interface CustomerContact {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  /** What the person does, such as `buyer`. */
  readonly role: string;
}

/** What a client may change of a customer. */
export interface CustomerAccount {
  readonly company: string;
  readonly vatId: string;
  /** Price lists name groups. */
  readonly groups: readonly string[];
  /** The code of the customer's own price list; null = none. */
  readonly priceList: string | null;
  /** In how many days its new orders are to be paid; null = it has no terms. */
  readonly paymentTermsDays: number | null;
  readonly addresses: readonly AccountAddress[];
  readonly contacts: readonly CustomerContact[];
  readonly metadata: Metadata;
}

/** Absent fields stay. Lists are replaced as a whole. */
export interface CustomerPatch extends Partial<Omit<CustomerAccount, 'metadata'>> {
  readonly metadata?: MetadataPatch;
}

/** @throws CustomerTooLarge, MetadataTooLarge */
export function changeAccount(account: CustomerAccount, { metadata, ...patch }: CustomerPatch): CustomerAccount {
  const changed = { ...account, ...patch, metadata: withPatch(account.metadata, metadata ?? {}) };
  if (metadata && !isMetadataOfLimits(changed.metadata)) throw new MetadataTooLarge();
  if ((patch.addresses || patch.contacts) && !isAccountSmall(changed)) throw new CustomerTooLarge();
  return changed;
}

/** Each read of the customer has all of it. */
export function isAccountSmall({ addresses = [], contacts = [] }: { readonly [Part in Parts]?: readonly object[] }) {
  return Buffer.byteLength(JSON.stringify([addresses, contacts].map(filledIn))) <= ACCOUNT_BYTES;
}

type Parts = 'addresses' | 'contacts';

/** Leaves out fields without a value: so are addresses and contacts stored. */
export function filledIn<Part extends object>(parts: readonly Part[]): Partial<Part>[] {
  return parts.map((part) => {
    const filled = Object.entries(part).filter(([, value]) => value !== '');
    return Object.fromEntries(filled) as Partial<Part>;
  });
}

export function wholeAccountAddress(given: Partial<AccountAddress>): AccountAddress {
  return { label: given.label ?? '', ...wholeAddress(given) };
}

export function wholeContact({ name = '', email = '', phone = '', role = '' }: Partial<CustomerContact>) {
  return { name, email, phone, role };
}

function isMetadataOfLimits(metadata: Metadata): boolean {
  return Object.keys(metadata).length <= METADATA_LIMITS.keys && isMetadataSmall([metadata]);
}
