import type { paths } from '@store-commerce/client';
import { api, type Schemas } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { ConfirmDialog, Field, type Values } from '../parts/ask.js';
import { capitalize, Rows } from '../parts/list.js';
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
      label="Edit company…"
      title="Edit company and prices"
      submitLabel="Save"
      tone="quiet"
      send={send}
      toast="Customer saved."
    >
      <div class="pair">
        <Field label="Company" name="company" defaultValue={company} autoFocus />
        <Field label="VAT ID" name="vat_id" defaultValue={vat_id} />
        <Field label="Price list" name="price_list" defaultValue={price_list ?? ''} />
        <Field
          label="Payment terms (days)"
          name="terms"
          inputMode="numeric"
          defaultValue={terms === null ? '' : String(terms)}
        />
      </div>
      <Field
        label="Groups"
        name="groups"
        defaultValue={groups.join(', ')}
        hint="Price lists apply to groups. Separate groups with commas."
      />
    </ConfirmDialog>
  );
}

interface PartsProps<Part> {
  readonly title: string;
  /** The word for one. */
  readonly noun: string;
  readonly of: readonly Part[];
  /** The fields of one, each with its label. */
  readonly fields: Readonly<Record<keyof Part & string, string>>;
  readonly nameOf: (part: Part) => string;
  readonly detailOf: (part: Part) => string;
  /** A request has all of the list. */
  readonly save: (parts: Part[]) => Promise<unknown>;
}

function Parts<Part extends Readonly<Record<keyof Part, string>>>(list: PartsProps<Part>) {
  const { title, noun, of, fields, nameOf, detailOf, save } = list;
  const mayEdit = can('customers');
  const names = Object.keys(fields) as (keyof Part & string)[];
  const ask = (label: string, before: Part | undefined, put: (part: Part) => Part[]) => (
    <ConfirmDialog
      label={label}
      title={`${before ? 'Edit' : 'Add'} ${noun}`}
      submitLabel="Save"
      tone="quiet"
      send={(values) => save(put(Object.fromEntries(names.map((name) => [name, values[name] ?? ''])) as Part))}
      toast={`${capitalize(noun)} saved.`}
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
      ask('Edit…', part, (changed) => of.map((each) => (each === part ? changed : each))),
      <ConfirmDialog
        key="remove"
        label="Remove…"
        title={`Remove ${noun}?`}
        submitLabel="Remove"
        tone="danger"
        text={nameOf(part)}
        send={() => save(of.filter((each) => each !== part))}
        toast={`${capitalize(noun)} removed.`}
      />,
    ];
    return { key: index, name: nameOf(part), detail: detailOf(part), end: edit && <div class="actions">{edit}</div> };
  });
  return (
    <Section title={title} actions={mayEdit && ask(`Add ${noun}…`, undefined, (added) => [...of, added])}>
      {rows.length > 0 ? <Rows rows={rows} /> : <p class="soft">{`No ${title.toLowerCase()}.`}</p>}
    </Section>
  );
}

const ADDRESS_FIELDS = {
  ...{ label: 'Label', company: 'Company', vat_id: 'VAT ID', address: 'Street', address2: 'Address line 2' },
  ...{ zip: 'Postal code', city: 'City', region: 'Region', country: 'Country' },
};

export const Addresses = ({ customer: { id, addresses } }: OfCustomer) => (
  <Parts
    title="Addresses"
    noun="address"
    of={addresses}
    fields={ADDRESS_FIELDS}
    nameOf={({ label, company, city }) => label || company || city || 'Address'}
    detailOf={({ label, company, address, address2, zip, city, region, country }) =>
      joined([label && company, address, address2, `${zip} ${city}`.trim(), region, country])
    }
    save={(changed) => change(id, { addresses: changed })}
  />
);

const CONTACT_FIELDS = { name: 'Name', role: 'Role', email: 'Email', phone: 'Phone' };

export const Contacts = ({ customer: { id, contacts } }: OfCustomer) => (
  <Parts
    title="Contacts"
    noun="contact"
    of={contacts}
    fields={CONTACT_FIELDS}
    nameOf={({ name, email }) => name || email || 'Contact'}
    detailOf={({ name, role, email, phone }) => joined([role, name && email, phone])}
    save={(changed) => change(id, { contacts: changed })}
  />
);
