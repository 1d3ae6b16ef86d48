import { api, useGet, type Schemas } from '../http.js';
import { Choice, Filters, List, Named, PAGE_SIZE, type Column } from '../parts/list.js';
import { Badge, Page } from '../parts/page.js';
import { money, Time } from '../parts/text.js';
import { to, useRoute } from '../route.js';
import { currency } from '../session.js';

const COLUMNS: readonly Column<Schemas['CustomerListItem']>[] = [
  {
    name: 'Customer',
    cell: ({ id, name, tags }) => <Named name={name} href={to(`/customers/${id}`)} small={tags} />,
  },
  { name: 'E-mail', cell: ({ email }) => <span class="line">{email}</span> },
  { name: 'City', cell: ({ city }) => city },
  { name: 'Status', cell: ({ status }) => <Badge state={status} /> },
  { name: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
  { name: 'Spent', isNumber: true, cell: ({ total_spent }) => money(total_spent, currency()) },
];

/** The words are the store's: those of its newest customers are offered. */
function useStatuses(chosen: string | undefined) {
  const query = useGet(['statuses'], () => api.GET('/v1/customers', { params: { query: { limit: 100 } } }));
  const words = [chosen ?? '', ...(query.data?.data.map(({ status }) => status) ?? [])];
  return [...new Set(words)].filter(Boolean).map((word) => [word, word] as const);
}

export function Customers() {
  const { search, status, page } = useRoute().query;
  const query = { search, status, limit: PAGE_SIZE, page: Number(page ?? 1) };
  const list = useGet(['customers', query], () => api.GET('/v1/customers', { params: { query } }), { keep: true });
  return (
    <Page title="Customers">
      <Filters search="Name or e-mail">
        <Choice name="status" label="Status" values={useStatuses(status)} />
      </Filters>
      <List label="Customers" noun="customer" query={list} columns={COLUMNS} empty="No customer matches." all={{}} />
    </Page>
  );
}
