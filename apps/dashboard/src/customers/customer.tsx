import { api, useGet, type Schemas } from '../http.js';
import { COLUMNS as ORDER_COLUMNS, INCLUDE, ONLY_MODE } from '../orders/columns.js';
import { Ask, Check } from '../parts/ask.js';
import { Facts, List } from '../parts/list.js';
import { Badge, Copy, download, Page, Section } from '../parts/page.js';
import { count, money, timeText } from '../parts/text.js';
import { can, currency } from '../session.js';

type Customer = Schemas['Customer'];

export function CustomerPage({ id }: { id: string }) {
  const query = useGet(['customer', id], () => api.GET('/v1/customers/{id}', { params: { path: { id } } }));
  const customer = query.data?.data;
  if (!customer) return <Page title="Customer" back="Customers" waits={query} />;
  return (
    <Page
      title={customer.name}
      back="Customers"
      actions={
        can('customers') && (
          <>
            <Export customer={customer} />
            <Erase customer={customer} />
          </>
        )
      }
      badges={<Badge state={customer.status} />}
      facts={[`${money(customer.total_spent, currency())} spent`, `customer since ${timeText(customer.created_at)}`]}
      about={<About customer={customer} />}
    >
      <Orders customer={customer} />
    </Page>
  );
}

function Orders({ customer }: { customer: Customer }) {
  const query = { customer_id: customer.id, limit: 100, include: INCLUDE, ...ONLY_MODE };
  const list = useGet(['orders', 'customer', customer.id], () => api.GET('/v1/orders', { params: { query } }));
  const columns = ORDER_COLUMNS.filter(({ name }) => name !== 'Customer');
  return (
    <Section title={list.data ? count(list.data.pagination.total, 'order') : 'Orders'} flush>
      <List label="Table of the orders" query={list} columns={columns} empty="No order yet." />
    </Section>
  );
}

function About({ customer }: { customer: Customer }) {
  const { email, email_verified, phone, city, tags, loyalty_points, last_login, metadata } = customer;
  return (
    <>
      <Section title="Contact">
        {email && (
          <p class="line">
            {email} <Copy text={email} />
            <small>{email_verified ? 'verified' : 'not verified'}</small>
          </p>
        )}
        {phone && <p class="line">{phone}</p>}
        {city && <p class="line">{city}</p>}
        {!email && !phone && !city && <p class="soft">None</p>}
      </Section>
      <Section title="Account">
        <Facts
          facts={[
            tags.length > 0 && ['Tags', tags.join(', ')],
            ['Points', loyalty_points.toLocaleString()],
            ['Last login', last_login ? timeText(last_login) : 'never'],
            ...Object.entries(metadata),
          ]}
        />
      </Section>
    </>
  );
}

/** All that is stored, as a file for the customer who asks for it. */
const Export = ({ customer: { id, name } }: { customer: Customer }) => (
  <Ask
    label="Export…"
    title={`Export what is stored of ${name}`}
    verb="Download"
    text="The account and all orders, also those as a guest, for the customer who asks for them."
    send={async () => {
      const { data } = await api.GET('/v1/customers/{id}/personal-data', { params: { path: { id } } });
      download(`customer-${id}.json`, JSON.stringify(data?.data, null, 2));
    }}
  />
);

const ERASES =
  'Name, contact, addresses and notes become empty, in the orders too. Amounts, lines and stock stay. This cannot be ' +
  'undone, and does not reach backups, sent mails and other systems.';

function Erase({ customer: { id, name } }: { customer: Customer }) {
  const send = async (form: FormData) => {
    const body = { force: form.has('force') };
    const { data } = await api.POST('/v1/customers/{id}/erase', { params: { path: { id } }, body });
    const stays = data?.data.person_stays ? ' The person may still sign in here: see Team.' : '';
    return `Erased, with ${count(data?.data.orders ?? 0, 'order')}.${stays}`;
  };
  return (
    <Ask label="Erase…" title={`Erase ${name}?`} verb="Erase for good" tone="danger" text={ERASES} send={send}>
      <Check label="Also where orders are open" name="force" />
    </Ask>
  );
}
