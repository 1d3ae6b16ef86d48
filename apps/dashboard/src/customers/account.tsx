import type { paths } from '@store-commerce/client';
import { api, type Schemas } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { ConfirmDialog, Field, type Values } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { Section } from '../parts/page.js';
import { joined } from '../parts/text.js';
import { can } from '../session.js';

type Customer = Schemas['Customer'];
type Patch = paths['/v1/customers/{id}']['patch']['requestBody']['content']['application/json'];
type OfCustomer = Readonly<{ customer: Customer }>;

const change = (id: string, body: Patch) => api.PATCH('/v1/customers/{id}', { params: { path: { id } }, body });

const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
];

export function EditCompany({ customer }: OfCustomer) {
  const { id, company, vat_id, groups, price_list, payment_terms_days: terms } = customer;
  const send = (values: Values<'company' | 'vat_id' | 'groups' | 'price_list' | 'terms'>) =>
    change(id, {
      company: values.company,
      vat_id: values.vat_id,
      groups: wordsOf(values.groups),
      price_list: values.price_list || null,
      payment_terms_days: values.terms ? readUnits(values.terms) : null,
    });
  return (
    <ConfirmDialog
      label="Company…"
      title="Company and prices"
      submitLabel="Save"
      tone="quiet"
      send={send}
      toast="The customer is changed."
    >
      <div class="pair">
        <Field label="Company" name="company" defaultValue={company} autoFocus />
        <Field label="VAT id" name="vat_id" defaultValue={vat_id} />
        <Field label="Price list" name="price_list" defaultValue={price_list ?? ''} />
        <Field
          label="Days to pay"
          name="terms"
          inputMode="numeric"
          defaultValue={terms === null ? '' : String(terms)}
        />
      </div>
      <Field
        label="Groups"
        name="groups"
        defaultValue={groups.join(', ')}
        hint="Price lists name groups. Separate several with commas."
      />
    </ConfirmDialog>
  );
}

interface PartsProps<Part> {
  readonly title: string;
  /** The word for one, and that with its article. */
  readonly noun: string;
  readonly one: string;
  readonly of: readonly Part[];
  /** The fields of one, each with its label. */
  readonly fields: Readonly<Record<keyof Part & string, string>>;
  readonly nameOf: (part: Part) => string;
  readonly detailOf: (part: Part) => string;
  /** A request has all of the list. */
  readonly save: (parts: Part[]) => Promise<unknown>;
}

function Parts<Part extends Readonly<Record<keyof Part, string>>>(list: PartsProps<Part>) {
  const { title, noun, one, of, fields, nameOf, detailOf, save } = list;
  const mayEdit = can('customers');
  const names = Object.keys(fields) as (keyof Part & string)[];
  const ask = (label: string, before: Part | undefined, put: (part: Part) => Part[]) => (
    <ConfirmDialog
      label={label}
      title={before ? `Change the ${noun}` : `New ${noun}`}
      submitLabel="Save"
      tone="quiet"
      send={(values) => save(put(Object.fromEntries(names.map((name) => [name, values[name] ?? ''])) as Part))}
      toast={`The ${noun} is saved.`}
    >
      <div class="pair">
        {names.map((name) => (
          <Field key={name} label={fields[name]} name={name} defaultValue={before?.[name] ?? ''} />
        ))}
      </div>
    </ConfirmDialog>
  );
  const rows = of.map((part, index) => {
    const edit = mayEdit && [
      ask('Change…', part, (changed) => of.map((each) => (each === part ? changed : each))),
      <ConfirmDialog
        key="remove"
        label="Remove…"
        title={`Remove the ${noun}?`}
        submitLabel="Remove"
        tone="danger"
        text={nameOf(part)}
        send={() => save(of.filter((each) => each !== part))}
        toast={`The ${noun} is removed.`}
      />,
    ];
    return { key: index, name: nameOf(part), detail: detailOf(part), end: edit && <div class="actions">{edit}</div> };
  });
  return (
    <Section title={title} actions={mayEdit && ask(`Add ${one}…`, undefined, (added) => [...of, added])}>
      {rows.length > 0 ? <Rows rows={rows} /> : <p class="soft">None</p>}
    </Section>
  );
}

const ADDRESS_FIELDS = {
  ...{ label: 'Label', company: 'Company', vat_id: 'VAT id', address: 'Street', address2: 'Second line' },
  ...{ zip: 'Postal code', city: 'City', region: 'Region', country: 'Country' },
};

export const Addresses = ({ customer: { id, addresses } }: OfCustomer) => (
  <Parts
    title="Addresses"
    noun="address"
    one="an address"
    of={addresses}
    fields={ADDRESS_FIELDS}
    nameOf={({ label, company, city }) => label || company || city || 'Address'}
    detailOf={({ label, company, address, address2, zip, city, region, country }) =>
      joined([label && company, address, address2, `${zip} ${city}`.trim(), region, country])
    }
    save={(changed) => change(id, { addresses: changed })}
  />
);

const CONTACT_FIELDS = { name: 'Name', role: 'Role', email: 'E-mail', phone: 'Phone' };

export const Contacts = ({ customer: { id, contacts } }: OfCustomer) => (
  <Parts
    title="Contacts"
    noun="contact"
    one="a contact"
    of={contacts}
    fields={CONTACT_FIELDS}
    nameOf={({ name, email }) => name || email || 'Contact'}
    detailOf={({ name, role, email, phone }) => joined([role, name && email, phone])}
    save={(changed) => change(id, { contacts: changed })}
  />
);
