import type { JSX } from 'preact';
import { api, useGet, type Schemas } from '../http.js';
import { Check } from '../parts/ask.js';
import { List } from '../parts/list.js';
import { Note, Page } from '../parts/page.js';
import { Choice, Filters, PAGE_SIZE, type Column } from '../parts/table.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { CHANGES, Several, useWarehouses } from './changes.js';
import type { StockRow } from './movements.js';

type Sku = Schemas['SkuListItem'];

/** The list of the stock knows SKUs and no names: the list of SKUs finds them, of products that are on sale. */
const MOST = 100;
const MOST_PAGES = 10;

/** SKUs with the text, or without units. */
async function findSkus(search: string, isOut: boolean): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; page <= MOST_PAGES && found.length < MOST; page++) {
    const query = { ...(search ? { search } : {}), limit: 100, page };
    const { data } = await api.GET('/v1/skus', { params: { query } });
    if (!data) break;
    found.push(...data.data.filter(({ sku, quantity }) => sku && !(isOut && quantity > 0)).map(({ sku }) => sku));
    // Without the second filter one page is enough.
    if (!isOut || page * 100 >= data.pagination.total) break;
  }
  return (search && !isOut ? [...new Set([search, ...found])] : found).slice(0, MOST);
}

async function read({ search = '', out, warehouse, bin, page }: Route['query']) {
  const skus = search || out ? await findSkus(search, !!out) : undefined;
  const query = {
    ...(skus ? { sku: skus.join(',') } : {}),
    ...(warehouse ? { warehouse } : {}),
    ...(bin ? { bin } : {}),
    limit: PAGE_SIZE,
    page: Number(page ?? 1),
  };
  const { data } = await api.GET('/v1/stock', { params: { query } });
  const sku = [...new Set(data?.data.map((row) => row.sku).filter(Boolean))].join(',');
  const names = sku ? await api.GET('/v1/skus', { params: { query: { sku, limit: 100 } } }) : undefined;
  return { data: data && { ...data, names: names?.data?.data ?? [], isCut: skus?.length === MOST } };
}

const columnsOf = (names: readonly Sku[], closed: readonly string[]): Column<StockRow>[] => [
  {
    name: 'SKU',
    cell: ({ sku, product_id }) => (
      <a class="name" href={to(`/products/${product_id}`)}>
        {sku || `Product ${product_id}`}
      </a>
    ),
  },
  { name: 'Product', cell: (row) => <Name unit={names.find((name) => isSame(name, row))} /> },
  {
    name: 'Bin',
    cell: ({ warehouse, bin }) => (
      <>
        <span class="n">{`${warehouse}/${bin}`}</span>
        {closed.includes(warehouse) && <small>closed, not for sale</small>}
      </>
    ),
  },
  {
    name: 'Available',
    isNumber: true,
    cell: ({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>,
  },
  CHANGES,
];

const isSame = (a: Sku, b: StockRow) => a.product_id === b.product_id && a.variant_id === b.variant_id;

function Name({ unit }: { unit: Sku | undefined }): JSX.Element {
  if (!unit) return <span class="soft">not on sale</span>;
  return (
    <span class="line">
      {unit.name}
      <small>{Object.values(unit.attributes).join(' · ')}</small>
    </span>
  );
}

export function Stock(): JSX.Element {
  const route = useRoute();
  const list = useGet(['stock', route.query], () => read(route.query), { keep: true });
  const warehouses = useWarehouses();
  const closed = warehouses.filter(({ active }) => !active).map(({ code }) => code);
  return (
    <Page
      title="Stock"
      actions={
        <>
          <a class="button" href={to('/stock/movements')}>
            History
          </a>
          {can('stock') && <Several isCount />}
          {can('stock') && <Several />}
        </>
      }
    >
      <Filters route={route} search="SKU or name" also={({ out }) => ({ out })}>
        <Choice
          route={route}
          name="warehouse"
          label="Warehouse"
          values={warehouses.map(({ code, name }) => [code, name] as const)}
        />
        <Check label="Only out of stock" name="out" value="1" defaultChecked={!!route.query.out} />
      </Filters>
      {list.data?.isCut && <Note>Only the first {MOST} SKUs that match are shown.</Note>}
      <List
        label="Stock rows"
        noun="row"
        query={list}
        columns={columnsOf(list.data?.names ?? [], closed)}
        empty="No stock matches."
        route={route}
        keyOf={(row) => [row.product_id, row.variant_id, row.warehouse, row.bin].join('/')}
      />
    </Page>
  );
}
