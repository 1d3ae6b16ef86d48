import { api, useGet, type Schemas } from '../http.js';
import { Check } from '../parts/ask.js';
import { Choice, Filters, List, Named, pageOf, right, type Columns } from '../parts/list.js';
import { Badge, LinkButton, Page } from '../parts/page.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { priceText } from './product.js';

type Row = Schemas['ProductListItem'];
const IMPORTERS = ['catalog', 'sales', 'customers'] as const;
const STATUSES = [['ACTIVE'], ['DRAFT'], ['ARCHIVED']];

const COLUMNS: Columns<Row> = {
  Product: ({ id, name }) => <Named name={name} href={to(`/products/${id}`)} />,
  SKU: ({ sku }) => <span class="line">{sku}</span>,
  Status: ({ status }) => <Badge state={status} />,
  Available: right(({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>),
  Price: right(({ price }) => priceText(price)),
};

/** By a text in the name, or else by the whole SKU. */
async function find({ search, category, stock, status, ...route }: Route['query']) {
  const query = {
    category_id: category ? Number(category) : undefined,
    in_stock: stock ? true : undefined,
    status: status ? [status as Row['status']] : undefined,
    include: ['sku' as const],
    ...pageOf(route),
  };
  const get = (more: { search?: string | undefined; sku?: string }) =>
    api.GET('/v1/products', { params: { query: { ...query, ...more } } });
  const found = await get({ search });
  return search && found.data?.pagination.total === 0 ? get({ sku: search }) : found;
}

export function Products() {
  const route = useRoute();
  const list = useGet(['products', route.query], () => find(route.query));
  const read = () => api.GET('/v1/categories', { params: { query: { limit: 100 } } });
  const categories = useGet(['categories'], read).data?.data.map(({ id, name }) => [String(id), name]) ?? [];
  return (
    <Page title="Products" actions={IMPORTERS.some(can) && <LinkButton text="Import…" href={to('/products/import')} />}>
      <Filters search="Name, or the whole SKU" also={({ stock }) => ({ stock })}>
        <Choice name="category" label="Category" values={categories} />
        {can('catalog') && <Choice name="status" label="Status" values={STATUSES} />}
        <Check label="Only in stock" name="stock" value="1" defaultChecked={!!route.query.stock} />
      </Filters>
      <List label="Products" noun="product" query={list} columns={COLUMNS} empty="No product matches." />
    </Page>
  );
}
