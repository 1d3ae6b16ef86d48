import { api, useGet } from '../http.js';
import { Check } from '../parts/ask.js';
import { Choice, Filters, List, Named, PAGE_SIZE, type Column } from '../parts/list.js';
import { Note, Page } from '../parts/page.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { CHANGES, Several } from './changes.js';
import { BIN, SKU, useWarehouses } from './movements.js';

/** As many SKUs as a filter of the stock takes, and pages that are read to find them. */
const MOST = 100;
const MOST_PAGES = 10;

/** SKUs with the text, or without units, of products that are on sale: the list of the stock does not search. */
async function findSkus(search: string | undefined, isOut: boolean): Promise<string[]> {
  const found = search && !isOut ? [search] : [];
  for (let page = 1; page <= MOST_PAGES && found.length < MOST; page++) {
    const { data } = await api.GET('/v1/skus', { params: { query: { search, limit: 100, page } } });
    const rows = data?.data ?? [];
    found.push(...rows.filter(({ sku, quantity }) => sku && !(isOut && quantity > 0)).map(({ sku }) => sku));
    // Without the second filter one page is enough.
    if (!isOut || rows.length < 100) break;
  }
  return [...new Set(found)].slice(0, MOST);
}

/** The rows with the names of what is on sale. */
async function read({ search, out, warehouse, bin, page }: Route['query']) {
  const skus = search || out ? await findSkus(search, !!out) : undefined;
  const query = { sku: skus?.join(','), warehouse, bin, limit: PAGE_SIZE, page: Number(page ?? 1) };
  const { data } = await api.GET('/v1/stock', { params: { query } });
  const sku = [...new Set(data?.data.map((row) => row.sku).filter(Boolean))].join(',');
  const names = sku ? await api.GET('/v1/skus', { params: { query: { sku, limit: 100 } } }) : undefined;
  const rows = data?.data.map((row) => ({
    ...row,
    unit: names?.data?.data.find((unit) => unit.product_id === row.product_id && unit.variant_id === row.variant_id),
  }));
  return { data: data && rows && { ...data, data: rows, isCut: skus?.length === MOST } };
}
type Row = NonNullable<Awaited<ReturnType<typeof read>>['data']>['data'][number];

const COLUMNS: readonly Column<Row>[] = [
  SKU,
  {
    name: 'Product',
    cell: ({ unit }) =>
      unit ? <Named name={unit.name} small={Object.values(unit.attributes)} /> : <span class="soft">not on sale</span>,
  },
  BIN,
  {
    name: 'Available',
    isNumber: true,
    cell: ({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>,
  },
  CHANGES,
];

export function Stock() {
  const { query } = useRoute();
  const list = useGet(['stock', query], () => read(query), { keep: true });
  const actions = (
    <>
      <a class="button" href={to('/stock/movements')}>
        History
      </a>
      {can('stock') && <Several isCount />}
      {can('stock') && <Several />}
    </>
  );
  return (
    <Page title="Stock" actions={actions}>
      <Filters search="SKU or name" also={({ out }) => ({ out })}>
        <Choice name="warehouse" label="Warehouse" values={useWarehouses().map(({ code, name }) => [code, name])} />
        <Check label="Only out of stock" name="out" value="1" defaultChecked={!!query.out} />
      </Filters>
      {list.data?.isCut && <Note>Only the first {MOST} SKUs that match are shown.</Note>}
      <List
        label="Stock rows"
        noun="row"
        query={list}
        columns={COLUMNS}
        empty="No stock matches."
        all={{}}
        keyOf={(row) => [row.product_id, row.variant_id, row.warehouse, row.bin].join('/')}
      />
    </Page>
  );
}
