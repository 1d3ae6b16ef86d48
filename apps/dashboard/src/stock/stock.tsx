import { api, useGet, type Schemas } from '../http.js';
import { Check } from '../parts/ask.js';
import { Choice, Filters, List, Named, PAGE_SIZE, type Column } from '../parts/list.js';
import { Note, Page } from '../parts/page.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { CHANGES, Several, useWarehouses } from './changes.js';
import type { StockRow } from './movements.js';

type Sku = Schemas['SkuListItem'];

/** The list of the stock knows SKUs and no names: the list of SKUs finds them, of products that are on sale. */
const MOST = 100;
const MOST_PAGES = 10;

/** SKUs with the text, or without units. */
async function findSkus(search: string | undefined, isOut: boolean): Promise<string[]> {
  const found: string[] = [];
  for (let page = 1; page <= MOST_PAGES && found.length < MOST; page++) {
    const query = { search, limit: 100, page };
    const { data } = await api.GET('/v1/skus', { params: { query } });
    if (!data) break;
    found.push(...data.data.filter(({ sku, quantity }) => sku && !(isOut && quantity > 0)).map(({ sku }) => sku));
    // Without the second filter one page is enough.
    if (!isOut || page * 100 >= data.pagination.total) break;
  }
  return (search && !isOut ? [...new Set([search, ...found])] : found).slice(0, MOST);
}

async function read({ search, out, warehouse, bin, page }: Route['query']) {
  const skus = search || out ? await findSkus(search, !!out) : undefined;
  const query = { sku: skus?.join(','), warehouse, bin, limit: PAGE_SIZE, page: Number(page ?? 1) };
  const { data } = await api.GET('/v1/stock', { params: { query } });
  const sku = [...new Set(data?.data.map((row) => row.sku).filter(Boolean))].join(',');
  const names = sku ? await api.GET('/v1/skus', { params: { query: { sku, limit: 100 } } }) : undefined;
  return { data: data && { ...data, names: names?.data?.data ?? [], isCut: skus?.length === MOST } };
}

const columnsOf = (names: readonly Sku[], closed: readonly string[]): Column<StockRow>[] => [
  {
    name: 'SKU',
    cell: ({ sku, product_id }) => <Named name={sku || `Product ${product_id}`} href={to(`/products/${product_id}`)} />,
  },
  {
    name: 'Product',
    cell: (row) => {
      const unit = names.find((name) => name.product_id === row.product_id && name.variant_id === row.variant_id);
      if (!unit) return <span class="soft">not on sale</span>;
      return <Named name={unit.name} small={Object.values(unit.attributes)} />;
    },
  },
  {
    name: 'Bin',
    cell: ({ warehouse, bin }) => (
      <Named
        name={<span class="n">{`${warehouse}/${bin}`}</span>}
        small={[closed.includes(warehouse) && 'closed, not for sale']}
      />
    ),
  },
  {
    name: 'Available',
    isNumber: true,
    cell: ({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>,
  },
  CHANGES,
];

export function Stock() {
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
      <Filters search="SKU or name" also={({ out }) => ({ out })}>
        <Choice name="warehouse" label="Warehouse" values={warehouses.map(({ code, name }) => [code, name])} />
        <Check label="Only out of stock" name="out" value="1" defaultChecked={!!route.query.out} />
      </Filters>
      {list.data?.isCut && <Note>Only the first {MOST} SKUs that match are shown.</Note>}
      <List
        label="Stock rows"
        noun="row"
        query={list}
        columns={columnsOf(list.data?.names ?? [], closed)}
        empty="No stock matches."
        all={{}}
        keyOf={(row) => [row.product_id, row.variant_id, row.warehouse, row.bin].join('/')}
      />
    </Page>
  );
}
