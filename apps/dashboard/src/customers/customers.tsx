import type { JSX } from 'preact';
import { api, useGet, type Schemas } from '../http.js';
import { Badge } from '../parts/badge.js';
import { money } from '../parts/money.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { Choice, Filters, PAGE_SIZE, type Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { to, useRoute } from '../route.js';
import { currency } from '../session.js';

const COLUMNS: readonly Column<Schemas['CustomerListItem']>[] = [
  {
    name: 'Customer',
    cell: ({ id, name, tags }) => (
      <>
        <a class="name" href={to(`/customers/${id}`)}>
          {name}
        </a>
        {tags.length > 0 && <small>{tags.join(' · ')}</small>}
      </>
    ),
  },
  { name: 'E-mail', cell: ({ email }) => <span class="line">{email}</span> },
  { name: 'City', cell: ({ city }) => city },
  { name: 'Status', cell: ({ status }) => <Badge state={status} tone={toneOf(status)} /> },
  { name: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Spent', isNumber: true, cell: ({ total_spent }) => money(total_spent, currency()) },
];

export const toneOf = (status: string) => (status.toLowerCase() === 'active' ? 'good' : 'quiet');

/** The words are the store's: those of its newest customers are offered. */
function useStatuses(chosen: string | undefined) {
  const query = useGet(['statuses'], () => api.GET('/v1/customers', { params: { query: { limit: 100 } } }));
  const words = [chosen ?? '', ...(query.data?.data.map(({ status }) => status) ?? [])];
  return [...new Set(words)].filter(Boolean).map((word) => [word, word] as const);
}

export function Customers(): JSX.Element {
  const route = useRoute();
  const { search, status, page } = route.query;
  const query = {
    ...(search ? { search } : {}),
    ...(status ? { status } : {}),
    limit: PAGE_SIZE,
    page: Number(page ?? 1),
  };
  const list = useGet(['customers', query], () => api.GET('/v1/customers', { params: { query } }), { keep: true });
  return (
    <Page title="Customers">
      <Filters route={route} search="Name or e-mail">
        <Choice route={route} name="status" label="Status" values={useStatuses(status)} />
      </Filters>
      <List
        label="Customers"
        noun="customer"
        query={list}
        columns={COLUMNS}
        empty="No customer matches."
        route={route}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}
