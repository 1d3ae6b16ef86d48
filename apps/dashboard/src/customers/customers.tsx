import { api, get, useGet, type Schemas } from '../http.js';
import { COLUMNS as ORDER_COLUMNS, INCLUDE, ONLY_MODE } from '../orders/columns.js';
import { money } from '../parts/amount.js';
import { ConfirmDialog, Check, type Values } from '../parts/ask.js';
import { Choice, Facts, Filters, List, Named, pageOf, right, type Columns } from '../parts/list.js';
import { Badge, Copy, download, LinkButton, Page, Section } from '../parts/page.js';
import { count, Lines, Time, timeText } from '../parts/text.js';
import { choicesOf, toList, usePriceLists } from '../prices/price-lists.js';
import { to, useRoute } from '../route.js';
import { can, currency } from '../session.js';
import { Addresses, Contacts, EditCompany } from './account.js';

type Customer = Schemas['Customer'];

const termsText = (terms: number | null) => (terms === null ? 'none' : count(terms, 'day'));

/** An erasure leaves this name, and no way to reach the person. */
const isErased = ({ name, email, phone }: Pick<Customer, 'name' | 'email' | 'phone'>): boolean =>
  name === 'Erased' && email === '' && phone === '';

const StatusBadge = ({ customer }: { customer: Pick<Customer, 'name' | 'email' | 'phone' | 'status'> }) => (
  <Badge state={isErased(customer) ? 'erased' : customer.status} />
);

const COLUMNS: Columns<Schemas['CustomerListItem']> = {
  Customer: ({ id, name, tags }) => <Named name={name} href={to(`/customers/${id}`)} small={tags} />,
  Email: ({ email }) => <span class="line">{email}</span>,
  Company: ({ company, vat_id }) => <Named name={company} small={[vat_id]} />,
  City: ({ city }) => city,
  Prices: ({ price_list, groups }) => <Named name={price_list ?? ''} small={groups} />,
  Terms: ({ payment_terms_days: terms }) => terms !== null && termsText(terms),
  Status: (customer) => <StatusBadge customer={customer} />,
  Since: ({ created_at }) => <Time at={created_at} />,
  Spent: right(({ total_spent }) => money(total_spent, currency())),
};

/** The statuses are words of the store: it suggests those of its newest customers, and accepts others. */
function Status() {
  const newest = useGet('/v1/customers', { query: { limit: 100 } }).data?.data ?? [];
  const words = new Set(newest.map(({ status }) => status));
  const input = { name: 'status', list: 'statuses', defaultValue: useRoute().query.status ?? '' };
  return (
    <>
      <input {...input} aria-label="Status" placeholder="Status: any" autoComplete="off" />
      <datalist id="statuses">
        {[...words].map((word) => (
          <option key={word} value={word} />
        ))}
      </datalist>
    </>
  );
}

const FIRST = 'No customers yet. Import them, or let the shop create them.';

export function Customers() {
  const { search, status, group, price_list, ...route } = useRoute().query;
  const query = { search, status, group, price_list, ...pageOf(route) };
  const lists = usePriceLists().data;
  const list = useGet('/v1/customers', { query });
  return (
    <Page title="Customers">
      <Filters search="Name, email, company or VAT ID" table={{ path: '/v1/customers', query }}>
        <Status />
        <input name="group" aria-label="Group" placeholder="Group: any" autoComplete="off" defaultValue={group ?? ''} />
        <Choice name="price_list" label="Price list" values={choicesOf(lists?.data)} left={lists?.left} />
      </Filters>
      <List
        label="Customers"
        noun="customer"
        query={list}
        columns={COLUMNS}
        empty="No matching customers."
        first={FIRST}
      />
    </Page>
  );
}

const { Customer: _, ...OF_ONE } = ORDER_COLUMNS;

export function CustomerPage({ id }: { id: string }) {
  const read = useGet('/v1/customers/{id}', { path: { id } });
  const page = pageOf(useRoute().query);
  const orders = useGet('/v1/orders', { query: { customer_id: id, include: INCLUDE, ...ONLY_MODE, ...page } });
  const customer = read.data?.data;
  if (!customer) return <Page title="Customer" back="Customers" waits={read} />;
  return (
    <Page
      title={customer.name}
      back="Customers"
      actions={
        <>
          {can('orders') && <LinkButton text="New order" href={to('/orders/new', { customer: id })} />}
          {can('customers') && <Actions customer={customer} />}
        </>
      }
      badges={<StatusBadge customer={customer} />}
      facts={[`${money(customer.total_spent, currency())} spent`, `customer since ${timeText(customer.created_at)}`]}
      about={
        <>
          <About customer={customer} />
          <Addresses customer={customer} />
          <Contacts customer={customer} />
        </>
      }
    >
      <Section title="Orders">
        <List label="Orders of this customer" noun="order" query={orders} columns={OF_ONE} empty="No orders yet." />
      </Section>
    </Page>
  );
}

function About({ customer }: { customer: Customer }) {
  const { email, email_verified, phone, city, tags, loyalty_points, last_login, metadata } = customer;
  const { company, vat_id, groups, price_list, payment_terms_days: terms } = customer;
  const points = ['Points', loyalty_points.toLocaleString()] as const;
  const login = ['Last login', last_login ? timeText(last_login) : 'never'] as const;
  return (
    <>
      <Section title="Contact">
        {email && (
          <p class="line">
            {email} <Copy text={email} />
            <small>{email_verified ? 'verified' : 'not verified'}</small>
          </p>
        )}
        <Lines of={[phone, city]} />
        {!email && !phone && !city && <p class="soft">No contact details.</p>}
      </Section>
      <Section title="Company" actions={can('customers') && <EditCompany customer={customer} />}>
        <Facts
          facts={[
            company !== '' && ['Name', company],
            vat_id !== '' && ['VAT ID', vat_id],
            groups.length > 0 && ['Groups', groups.join(', ')],
            price_list !== null && ['Price list', <a key="list" href={toList(price_list)} children={price_list} />],
            ['Payment terms', termsText(terms)],
          ]}
        />
      </Section>
      <Section title="Account">
        <Facts facts={[tags.length > 0 && ['Tags', tags.join(', ')], points, login, ...Object.entries(metadata)]} />
      </Section>
    </>
  );
}

const ERASES =
  'Clears name, company, contacts, addresses and notes, in the orders too. Amounts, lines and stock stay. This cannot be ' +
  'undone, and does not reach backups, sent emails and other systems.';

function Actions({ customer: { id, name } }: { customer: Customer }) {
  const params = { path: { id } };
  const save = async () => {
    const { data } = await get('/v1/customers/{id}/personal-data', params);
    download(`customer-${id}.json`, JSON.stringify(data, null, 2));
  };
  const erase = async ({ force }: Values<'force'>) => {
    const { data } = await api.POST('/v1/customers/{id}/erase', { params, body: { force: !!force } });
    const stays = data?.data.person_stays ? ' The person can still sign in to the dashboard: see Team.' : '';
    return `Customer erased, including ${count(data?.data.orders ?? 0, 'order')}.${stays}`;
  };
  const exports =
    'Contains the account and all orders, including guest orders. Send it to a customer who asks for their data.';
  return (
    <>
      <ConfirmDialog
        label="Export…"
        title={`Export the data of ${name}`}
        submitLabel="Download"
        text={exports}
        send={save}
      />
      <ConfirmDialog
        label="Erase…"
        title={`Erase ${name}?`}
        submitLabel="Erase permanently"
        tone="danger"
        text={ERASES}
        send={erase}
      >
        <Check label="Erase even if orders are open" name="force" />
      </ConfirmDialog>
    </>
  );
}
