import { useEffect, useRef, useState } from 'preact/hooks';
import { get, type Schemas } from '../http.js';
import { Button, Note } from '../parts/page.js';
import { count, joined } from '../parts/text.js';
import { go, to } from '../route.js';
import { Fields, PERSON, PLACE, type Texts } from './actions.js';
import { Find } from './lines.js';

type Customer = Schemas['Customer'];

const { company, ...CONTACT } = PERSON;
export const ADDRESS = { company, vat_id: 'VAT ID', ...PLACE, country: 'Country (two letters)' };

const findCustomers = (search: string) => get('/v1/customers', { query: { search, limit: 8 } });
const focus = (id: string) => setTimeout(() => document.getElementById(id)?.focus());

/** The contact and the address, which an account fills. */
export function Account({ customer }: { customer: Customer | null | undefined }) {
  const [contact, setContact] = useState(0);
  const [place, setPlace] = useState(0);
  const { contacts = [], addresses = [] } = customer ?? {};
  const person: Texts = { ...(contacts[contact - 1] ?? customer) } as Texts;
  const { company: of = '', vat_id = '', ...given } = addresses[place] ?? customer ?? {};
  const address = {
    ...given,
    company: of || customer?.company,
    vat_id: vat_id || customer?.vat_id,
  } as unknown as Texts;
  const choice = (label: string, now: number, names: readonly string[], set: (index: number) => void) =>
    names.length > 1 && (
      <label class="field">
        <span>{label}</span>
        <select form="" onChange={({ currentTarget: field }) => set(field.selectedIndex)}>
          {names.map((name, index) => (
            <option key={index} selected={index === now} children={name} />
          ))}
        </select>
      </label>
    );
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => void ref.current?.closest('form')?.dispatchEvent(new Event('input')), [customer, contact, place]);
  return (
    <div ref={ref} class="form">
      {customer &&
        choice(
          'Contact',
          contact,
          [customer.name, ...contacts.map(({ name, role }) => joined([name, role]))],
          setContact,
        )}
      <Fields key={`contact ${contact}`} of={CONTACT} before={person} />
      {choice(
        'Address',
        place,
        addresses.map(({ label, address: street, city }) => joined([label, street, city])),
        setPlace,
      )}
      <Fields key={`address ${place}`} of={ADDRESS} before={address} />
    </div>
  );
}

export function ChooseCustomer({ customer }: { customer: Customer | null | undefined }) {
  const onPick = ({ id }: { id: string }) => {
    go(to('/orders/new', { customer: id }), true);
    focus('find-product');
  };
  const rowOf = (row: Schemas['CustomerListItem']) => {
    return { key: row.id, name: row.name, detail: joined([row.email, row.company, row.city]) };
  };
  const leave = () => {
    go(to('/orders/new'), true);
    focus('find-customer');
  };
  if (!customer)
    return (
      <Find
        id="find-customer"
        label="Find a customer by name, email, company or VAT ID, or enter a new one below"
        verb="Choose"
        {...{ find: findCustomers, rowOf, onPick }}
      />
    );
  const { name, price_list, groups, payment_terms_days: terms } = customer;
  const prices = joined([
    price_list && `price list ${price_list}`,
    ...groups,
    terms !== null && `pays within ${count(terms, 'day')}`,
  ]);
  return (
    <Note action={<Button text="Another customer" onClick={leave} />}>
      Account: {name} <small>{prices}</small>
    </Note>
  );
}
