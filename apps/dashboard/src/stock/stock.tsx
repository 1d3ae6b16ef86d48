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

const joined = (rows: readonly { readonly sku: string }[] = []) =>
  [...new Set(rows.map(({ sku }) => sku).filter(Boolean))].join(',');
const isOf = (row: StockRow, unit: Sku) => unit.product_id === row.product_id && unit.variant_id === row.variant_id;

async function findSkus(search: string): Promise<string[]> {
  const { data } = await api.GET('/v1/skus', { params: { query: { search, limit: MOST } } });
  const found = data?.data.map(({ sku }) => sku).filter(Boolean) ?? [];
  return [...new Set([search, ...found])].slice(0, MOST);
}

/** A page of the SKUs without units, each with the bins in which it lay, or with none. */
async function readOut({ search, warehouse, bin, page }: Route['query']) {
  const filter = { search, out_of_stock: true as const };
  const query = { ...filter, limit: PAGE_SIZE, page: Number(page ?? 1) };
  const { data: units } = await api.GET('/v1/skus', { params: { query } });
  const places = { sku: joined(units?.data), warehouse, bin, limit: MOST };
  const stock = places.sku ? (await api.GET('/v1/stock', { params: { query: places } })).data : undefined;
  const rows = units?.data.flatMap((unit): StockRow[] => {
    const found = stock?.data.filter((row) => isOf(row, unit)) ?? [];
    return found.length > 0 ? found : [{ ...unit, warehouse: '', bin: '', quantity: 0 }];
  });
  const cut = stock && stock.pagination.total > MOST && 'bins';
  return { data: units && { ...units, data: rows ?? [], names: units.data, cut } };
}

async function read({ search, warehouse, bin, page }: Route['query']) {
  const skus = search ? await findSkus(search) : undefined;
  const query = { sku: skus?.join(','), warehouse, bin, limit: PAGE_SIZE, page: Number(page ?? 1) };
  const { data } = await api.GET('/v1/stock', { params: { query } });
  const sku = joined(data?.data);
  const names = sku ? await api.GET('/v1/skus', { params: { query: { sku, limit: 100 } } }) : undefined;
  return { data: data && { ...data, names: names?.data?.data ?? [], cut: skus?.length === MOST && 'SKUs' } };
}

const columnsOf = (names: readonly Sku[], closed: readonly string[]): Column<StockRow>[] => [
  {
    name: 'SKU',
    cell: ({ sku, product_id }) => <Named name={sku || `Product ${product_id}`} href={to(`/products/${product_id}`)} />,
  },
  {
    name: 'Product',
    cell: (row) => {
      const unit = names.find((name) => isOf(row, name));
      if (!unit) return <span class="soft">not on sale</span>;
      return <Named name={unit.name} small={Object.values(unit.attributes)} />;
    },
  },
  {
    name: 'Bin',
    cell: ({ warehouse, bin }) => (
      <Named
        name={bin ? <span class="n">{`${warehouse}/${bin}`}</span> : '–'}
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
  const list = useGet(['stock', route.query], () => (route.query.out ? readOut : read)(route.query), { keep: true });
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
      {list.data?.cut && (
        <Note>
          Only the first {MOST} {list.data.cut} that match are shown.
        </Note>
      )}
      <List
        label="Stock rows"
        noun={route.query.out ? 'SKU' : 'row'}
        query={list}
        columns={columnsOf(list.data?.names ?? [], closed)}
        empty="No stock matches."
        all={{}}
        keyOf={(row) => [row.product_id, row.variant_id, row.warehouse, row.bin].join('/')}
      />
    </Page>
  );
}
