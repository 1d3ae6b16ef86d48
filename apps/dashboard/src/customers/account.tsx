import type { paths } from '@store-commerce/client';
import { api, get, type Schemas } from '../http.js';
import { readUnits } from '../parts/amount.js';
import { changesOf, ConfirmDialog, Field, Seen, Units, wordsIn, type Values } from '../parts/ask.js';
import { capitalize, Rows } from '../parts/list.js';
import { Section } from '../parts/page.js';
import { joined } from '../parts/text.js';
import { usePriceLists } from '../prices/price-lists.js';
import { can } from '../session.js';

type Customer = Schemas['Customer'];
type Patch = paths['/v1/customers/{id}']['patch']['requestBody']['content']['application/json'];
type OfCustomer = Readonly<{ customer: Customer }>;

const change = (id: string, body: Patch) => api.PATCH('/v1/customers/{id}', { params: { path: { id } }, body });

/** Reads the fields whose text is not their value. */
const readers = (groups: readonly string[]): Readonly<Record<string, (text: string) => unknown>> => ({
  // The name of a group may have a comma.
  groups: (text) => wordsIn(text, (line) => (groups.includes(line) ? [line] : line.split(','))),
  price_list: (text) => text || null,
  payment_terms_days: (text) => (text ? readUnits(text) : null),
});

export function EditCompany({ customer }: OfCustomer) {
  const { id, company, vat_id, price_list, payment_terms_days: terms } = customer;
  const lists = usePriceLists().data?.data ?? [];
  const known = [...customer.groups, ...lists.flatMap((list) => list.customer_groups)];
  const texts = {
    ...{ company, vat_id, price_list: price_list ?? '', groups: customer.groups.join('\n') },
    payment_terms_days: terms === null ? '' : String(terms),
  };
  const send = (values: Values) => {
    const readerOf = readers(known);
    const read = (name: string, text: string) => (readerOf[name] ? readerOf[name](text) : text);
    const changed = Object.entries(changesOf(values)).map(([name, text]) => [name, read(name, text)]);
    return change(id, Object.fromEntries(changed) as Patch);
  };
  return (
    <ConfirmDialog
      label="Edit company…"
      title="Edit company and prices"
      submitLabel="Save"
      tone="quiet"
      send={send}
      toast="Customer saved."
    >
      <Seen text={JSON.stringify(texts)} />
      <div class="pair">
        <Field label="Company" name="company" defaultValue={company} autoFocus />
        <Field label="VAT ID" name="vat_id" defaultValue={vat_id} />
        <Field label="Price list code" name="price_list" list="price-lists" defaultValue={texts.price_list} />
        <Units
          label="Payment terms (days)"
          name="payment_terms_days"
          required={false}
          begin={texts.payment_terms_days}
        />
      </div>
      <datalist id="price-lists">
        {lists.map(({ code, name }) => (
          <option key={code} value={code} label={name} />
        ))}
      </datalist>
      <Field
        label="Groups"
        name="groups"
        rows={3}
        defaultValue={texts.groups}
        hint="Price lists apply to groups. Separate groups by lines or commas."
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
  /** Changes the parts as they are now: another person may have changed them while the dialog was open. */
  readonly save: (update: (now: readonly Part[]) => Part[]) => Promise<unknown>;
}

/** @throws when no part is as the person saw it. */
function indexOf(parts: readonly object[], seen: string, noun: string): number {
  const found = parts.findIndex((part) => JSON.stringify(part) === seen);
  if (found < 0)
    throw new Error(`Another person has changed or removed this ${noun}. Close the dialog and look again.`);
  return found;
}

function Parts<Part extends Readonly<Record<keyof Part, string>>>(list: PartsProps<Part>) {
  const { title, noun, of, fields, nameOf, detailOf, save } = list;
  const mayEdit = can('customers');
  const names = Object.keys(fields) as (keyof Part & string)[];
  const put = ({ seen = '', ...values }: Values) => {
    const part = Object.fromEntries(names.map((name) => [name, values[name] ?? ''])) as Part;
    return save((now) => (seen ? now.with(indexOf(now, seen, noun), part) : [...now, part]));
  };
  const remove = ({ seen = '' }: Values) => save((now) => now.toSpliced(indexOf(now, seen, noun), 1));
  const ask = (label: string, before?: Part) => (
    <ConfirmDialog
      label={label}
      title={`${before ? 'Edit' : 'Add'} ${noun}`}
      submitLabel="Save"
      tone="quiet"
      send={put}
      toast={`${capitalize(noun)} saved.`}
    >
      {before && <Seen text={JSON.stringify(before)} />}
      <div class="pair">
        {names.map((name) => (
          <Field key={name} label={fields[name]} name={name} defaultValue={before?.[name] ?? ''} />
        ))}
      </div>
    </ConfirmDialog>
  );
  const rows = of.map((part, index) => {
    const edit = mayEdit && [
      ask('Edit…', part),
      <ConfirmDialog
        key="remove"
        label="Remove…"
        title={`Remove ${noun}?`}
        submitLabel="Remove"
        tone="danger"
        text={nameOf(part)}
        send={remove}
        toast={`${capitalize(noun)} removed.`}
      >
        <Seen text={JSON.stringify(part)} />
      </ConfirmDialog>,
    ];
    return { key: index, name: nameOf(part), detail: detailOf(part), end: edit && <div class="actions">{edit}</div> };
  });
  return (
    <Section title={title} actions={mayEdit && ask(`Add ${noun}…`)}>
      {rows.length > 0 ? <Rows rows={rows} /> : <p class="soft">{`No ${title.toLowerCase()}.`}</p>}
    </Section>
  );
}

const now = async (id: string) => (await get('/v1/customers/{id}', { path: { id } })).data;

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
    save={async (update) => change(id, { addresses: update((await now(id)).addresses) })}
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
    save={async (update) => change(id, { contacts: update((await now(id)).contacts) })}
  />
);
