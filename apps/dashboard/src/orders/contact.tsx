import type { JSX } from 'preact';
import { api, type Order } from '../http.js';
import { done } from '../parts/announce.js';
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
function changes(form: FormData, names: readonly string[], before: object): Record<string, string | null> {
  const entries = names
    .map((name) => [name, textIn(form, name)] as const)
    .filter(([name, text]) => text !== (before as Record<string, string>)[name]);
  return Object.fromEntries(entries.map(([name, text]) => [name, text || null]));
}

export function CorrectContact({ order }: { order: Order }): JSX.Element {
  return (
    <Ask
      label="Correct…"
      title="Correct the contact and the address"
      verb="Save"
      tone="quiet"
      onSubmit={async (form) => {
        const customer = changes(form, Object.keys(CUSTOMER), order.customer);
        const shipping_address = changes(form, Object.keys(ADDRESS), order.shipping_address);
        await api.PATCH('/v1/orders/{id}', { params: { path: order }, body: { customer, shipping_address } });
        await done('The contact is corrected.');
      }}
    >
      <div class="pair">
        {Object.entries({ ...CUSTOMER, ...ADDRESS }).map(([name, label]) => (
          <Field
            key={name}
            label={label}
            name={name}
            type={name === 'email' ? 'email' : 'text'}
            defaultValue={({ ...order.customer, ...order.shipping_address } as Record<string, string>)[name] ?? ''}
          />
        ))}
      </div>
    </Ask>
  );
}
