import type { JSX } from 'preact';
import { api, type Order } from '../http.js';
import { Ask, Field, textIn } from '../parts/ask.js';

const CUSTOMER = { name: 'Name', email: 'E-mail', phone: 'Phone' } as const;
const ADDRESS = {
  company: 'Company',
  address: 'Street',
  address2: 'Second line',
  zip: 'Postal code',
  city: 'City',
  region: 'Region',
  country: 'Country',
} as const;

/** What was changed, field by field: a text that was cleared is null. */
function changes(form: FormData, names: readonly string[], before: Readonly<Record<string, string | null>>) {
  const changed = names.filter((name) => textIn(form, name) !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, textIn(form, name) || null]));
}

export function CorrectContact({ order }: { order: Order }): JSX.Element {
  const before: Readonly<Record<string, string | null>> = { ...order.customer, ...order.shipping_address };
  const send = async (form: FormData) => {
    const customer = changes(form, Object.keys(CUSTOMER), before);
    const shipping_address = changes(form, Object.keys(ADDRESS), before);
    await api.PATCH('/v1/orders/{id}', { params: { path: order }, body: { customer, shipping_address } });
    return 'The contact is corrected.';
  };
  return (
    <Ask label="Correct…" title="Correct the contact and the address" verb="Save" tone="quiet" send={send}>
      <div class="pair">
        {Object.entries({ ...CUSTOMER, ...ADDRESS }).map(([name, label]) => (
          <Field
            key={name}
            label={label}
            name={name}
            type={name === 'email' ? 'email' : 'text'}
            defaultValue={before[name] ?? ''}
          />
        ))}
      </div>
    </Ask>
  );
}
