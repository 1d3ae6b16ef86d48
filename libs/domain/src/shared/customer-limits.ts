/** Lengths are in code points. */
export const CUSTOMER_LIMITS = {
  company: 200,
  vatId: 64,
  groups: 50,
  addresses: 50,
  label: 100,
  contacts: 100,
  /** The longest name, phone and role of a contact. */
  contact: { name: 200, phone: 40, role: 100 },
} as const;

const MAX_KILOBYTES = 64;

/** The most addresses and contacts of a customer, as JSON: each read and message of the customer has all of them. */
export const ACCOUNT_BYTES = MAX_KILOBYTES * 1024;
export const ACCOUNT_SIZE = `${MAX_KILOBYTES} kB`;
