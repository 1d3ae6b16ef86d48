import type { CustomerFilter, CustomerRecord, ListedCustomer } from '@app/application';
import { mapAddressFields } from '@app/domain';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const SUMMARY = {
  id: is.uuid('The customer.', '0198e7d4-5c21-7a10-8f3b-6d9e2c4b7a15'),
  name: is.text('Display name.', 'Ada Lovelace'),
  email: is.text('`""` when there is none.', 'ada@example.com'),
  phone: is.text('`""` when there is none.', '+1 555 0100'),
  status: is.text('Account status, as the store defines it.', 'Active'),
  email_verified: is.flag('Whether the customer has confirmed the e-mail address.', true),
  loyalty_points: is.integer('Points of the loyalty programme.', 10),
  total_spent: is.minorUnits(
    'The imported amount, plus payments and minus refunds of orders of the customer since.',
    15980,
  ),
  tags: is.arrayOf(is.text('A label.', 'vip'), 'Labels given by the store.'),
  city: is.text('`""` when there is none.', 'Portland'),
  company: is.text('Name of the company; `""` when there is none.', 'Lovelace Engines Ltd'),
  vat_id: is.text('VAT number, as given; `""` when there is none.', 'GB123456789'),
  groups: is.arrayOf(is.text('A group.', 'wholesale'), 'Groups, which price lists name.'),
  price_list: is.orNull(is.text("The code of the customer's price list; null when there is none.", 'WHOLESALE')),
  payment_terms_days: is.orNull(is.integer('Payment terms of new orders in days; null without terms.', 30)),
  created_at: is.timestamp('When the account was created.', '2026-03-02T10:15:00.000Z'),
  last_login: is.orNull(is.timestamp('Last login; null when there was none.')),
};
const ADDRESS = is.object({
  label: is.text('What the address is for; `""` when there is none.', 'Warehouse'),
  ...mapAddressFields((_name, { description, example }) =>
    is.text(`${description} \`""\` when there is none.`, example),
  ),
});
const CONTACT = is.object({
  name: is.text('`""` when there is none.', 'Grace Hopper'),
  email: is.text(
    'An order with this e-mail is an order of the customer. `""` when there is none.',
    'grace@example.com',
  ),
  phone: is.text('`""` when there is none.', '+1 555 0101'),
  role: is.text('What the person does; `""` when there is none.', 'buyer'),
});
const PARTS = {
  addresses: is.arrayOf(ADDRESS, 'Addresses of the account, in the order of the store.'),
  contacts: is.arrayOf(CONTACT, 'Persons of the company, in the order of the store.'),
  metadata: is.metadata('Custom fields that the store keeps with the customer.'),
};

export const Customer = representation('Customer', is.object({ ...SUMMARY, ...PARTS }), { money: 'minor' });

export const CustomerListItem = representation(
  'CustomerListItem',
  is.object({
    ...SUMMARY,
    ...is.included({ updated_at: is.timestamp('When the customer last changed.'), ...PARTS }),
  }),
  { money: 'minor' },
);

export function toCustomerListItem(
  customer: ListedCustomer,
  include: CustomerFilter['include'] = [],
): ValueOf<typeof CustomerListItem> {
  const { updatedAt, addresses, contacts, metadata } = customer;
  return Object.assign(summaryOf(customer), {
    ...(include.includes('updated_at') && { updated_at: updatedAt?.toISOString() }),
    ...(include.includes('addresses') && { addresses }),
    ...(include.includes('contacts') && { contacts }),
    ...(include.includes('metadata') && { metadata }),
  });
}

export function toCustomerResponse(customer: CustomerRecord): ValueOf<typeof Customer> {
  const { addresses, contacts, metadata } = customer;
  return Object.assign(summaryOf(customer), { addresses, contacts, metadata });
}

/** Returns the fields that both representations have. */
function summaryOf(customer: ListedCustomer) {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    status: customer.status,
    email_verified: customer.emailVerified,
    loyalty_points: customer.loyaltyPoints,
    total_spent: customer.totalSpent,
    tags: customer.tags,
    city: customer.city,
    company: customer.company,
    vat_id: customer.vatId,
    groups: customer.groups,
    price_list: customer.priceList,
    payment_terms_days: customer.paymentTermsDays,
    created_at: customer.createdAt.toISOString(),
    last_login: customer.lastLogin?.toISOString() ?? null,
  };
}
