import type { CollectedData, Erasure as Erased } from '@app/application';
import { representation, type ValueOf } from './resource.js';
import * as is from './schema.js';

const CUSTOMER = { id: 'fab8304c-bcbd-4afc-95f0-58cc2ad9e8e7', name: 'Ada Lovelace', email: 'ada@example.com' };
const CONTACT = { customer_id: CUSTOMER.id, company: 'Lovelace Engines Ltd', name: 'Ada', email: 'ada@example.com' };
const PERSON = { id: '0199a1c2-7b3e-7c44-9d1f-2a6b8c0d4e5f', email: 'ada@example.com', role: 'owner' };

export const PersonalData = representation(
  'PersonalData',
  is.object({
    taken_at: is.timestamp('When the data was read.'),
    customer: is.orNull(is.freeForm('The customer, as in a store bundle.', CUSTOMER)),
    contacts: is.arrayOf(
      is.freeForm('A contact of a customer.', CONTACT),
      'The contacts of companies that have the e-mail.',
    ),
    secrets_held: is.arrayOf(
      is.text('Name of a secret.', 'password_hash'),
      'The secrets that are stored with the customer. Their values are not shown.',
    ),
    blocked: is.flag('Whether the e-mail is in a block list of the store.'),
    person: is.orNull(is.freeForm('The access of the person to the dashboard, if any.', PERSON)),
    orders: is.arrayOf(
      is.freeForm('An order, as in a store bundle.', { receipt_number: 'WEB-261120-7K3M9Q' }),
      'The orders with the e-mail, and those that are linked to the customer, oldest first.',
    ),
  }),
);

export const Erasure = representation(
  'Erasure',
  is.object({
    customers: is.integer('Customers whose data were replaced.', 1),
    contacts: is.integer('Customers from whose contacts the person was removed.', 0),
    orders: is.integer('Orders whose data were replaced.', 3),
    blocked_contacts: is.integer('Entries that were removed from the block lists of the store.', 0),
    person_stays: is.flag('Whether the person may sign in to the store. An erasure does not change that.'),
  }),
);

export function toPersonalData(found: CollectedData): ValueOf<typeof PersonalData> {
  return {
    taken_at: found.takenAt.toISOString(),
    customer: found.customer,
    contacts: found.contacts,
    secrets_held: found.secrets,
    blocked: found.blocked,
    person: found.member,
    orders: found.orders,
  };
}

export function toErasure({ blockedContacts, isMember, ...erased }: Erased): ValueOf<typeof Erasure> {
  const { customers, contacts, orders } = erased;
  return { customers, contacts, orders, blocked_contacts: blockedContacts, person_stays: isMember };
}
