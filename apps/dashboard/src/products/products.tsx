import type { JSX } from 'preact';
import { api, useGet, type Schemas } from '../http.js';
import { Badge } from '../parts/badge.js';
import { Check } from '../parts/ask.js';
import { List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { Choice, Filters, PAGE_SIZE, type Column } from '../parts/table.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { priceText } from './edit.js';

type Row = Schemas['ProductListItem'];

const COLUMNS: readonly Column<Row>[] = [
  {
    name: 'Product',
    cell: ({ id, name }) => (
      <a class="name" href={to(`/products/${id}`)}>
        {name}
      </a>
    ),
  },
  { name: 'SKU', cell: ({ sku }) => <span class="line">{sku}</span> },
  { name: 'Status', cell: ({ status }) => <Badge state={status} /> },
  {
    name: 'Available',
    isNumber: true,
    cell: ({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>,
  },
  { name: 'Price', isNumber: true, cell: ({ price }) => priceText(price) },
];

const STATUSES = [
  ['ACTIVE', 'Active'],
  ['DRAFT', 'Draft'],
  ['ARCHIVED', 'Archived'],
] as const;

/** By a text in the name, or else by the whole SKU. */
async function read({ search, category, stock, status, page }: Route['query']) {
  const query = {
    ...(category ? { category_id: Number(category) } : {}),
    ...(stock ? { in_stock: true } : {}),
    ...(status ? { status: [status as Row['status']] } : {}),
    include: ['sku' as const],
    limit: PAGE_SIZE,
    page: Number(page ?? 1),
  };
  const get = (more: { search?: string; sku?: string }) =>
    api.GET('/v1/products', { params: { query: { ...query, ...more } } });
  const found = await get(search ? { search } : {});
  return search && found.data?.pagination.total === 0 ? get({ sku: search }) : found;
}

export function Products(): JSX.Element {
  const route = useRoute();
  const list = useGet(['products', route.query], () => read(route.query), { keep: true });
  const categories = useGet(['categories'], () => api.GET('/v1/categories', { params: { query: { limit: 100 } } }));
  return (
    <Page
      title="Products"
      actions={
        (can('catalog') || can('sales') || can('customers')) && (
          <a class="button" href={to('/products/import')}>
            Import…
          </a>
        )
      }
    >
      <Filters route={route} search="Name, or the whole SKU" also={({ stock }) => ({ stock })}>
        <Choice
          route={route}
          name="category"
          label="Category"
          values={categories.data?.data.map(({ id, name }) => [String(id), name] as const) ?? []}
        />
        {can('catalog') && <Choice route={route} name="status" label="Status" values={STATUSES} />}
        <Check label="Only in stock" name="stock" value="1" defaultChecked={!!route.query.stock} />
      </Filters>
      <List
        label="Products"
        noun="product"
        query={list}
        columns={COLUMNS}
        empty="No product matches."
        route={route}
        keyOf={({ id }) => id}
      />
    </Page>
  );
}
