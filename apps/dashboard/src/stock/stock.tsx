import { get, useRead, type Schemas } from '../http.js';
import { Check } from '../parts/ask.js';
import { Choice, Filters, List, Named, pageOf, right, type Columns } from '../parts/list.js';
import { LinkButton, Note, Page } from '../parts/page.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { Change, keyOf, PLACE, Several, useWarehouses, type StockRow } from './changes.js';

/** As many SKUs as a filter of the stock takes. */
const MOST = 100;

type Unit = Schemas['SkuListItem'];
type Row = StockRow & { readonly unit: Unit | undefined };

const skusOf = (rows: readonly { readonly sku: string }[]) => [...new Set(rows.map(({ sku }) => sku).filter(Boolean))];
const isOf = (row: StockRow) => (unit: Unit) =>
  unit.product_id === row.product_id && unit.variant_id === row.variant_id;

/** The list of the stock does not search. */
async function findSkus(search: string): Promise<string[]> {
  const { data } = await get('/v1/skus', { query: { search, limit: MOST } });
  return skusOf([{ sku: search }, ...data]).slice(0, MOST);
}

/** A page of the SKUs without units, each with the bins in which it lay, or with none. */
async function readOut({ search, warehouse, bin, ...route }: Route['query']) {
  const units = await get('/v1/skus', { query: { search, out_of_stock: true, ...pageOf(route) } });
  const query = { sku: skusOf(units.data).join(','), warehouse, bin, limit: MOST };
  const stock = query.sku ? await get('/v1/stock', { query }) : undefined;
  const data = units.data.flatMap((unit) => {
    const found = stock?.data.filter((row) => isOf(row)(unit)) ?? [];
    const lying: StockRow[] = found.length > 0 ? found : [{ ...unit, warehouse: '', bin: '', quantity: 0 }];
    return lying.map((row): Row => ({ ...row, unit }));
  });
  return { ...units, data, cut: stock && stock.pagination.total > MOST && 'bins' };
}

/** The rows with the names of what is on sale. */
async function read({ search, warehouse, bin, ...route }: Route['query']) {
  const skus = search ? await findSkus(search) : undefined;
  const query = { sku: skus?.join(','), warehouse, bin, ...pageOf(route) };
  const stock = await get('/v1/stock', { query });
  const sku = skusOf(stock.data).join(',');
  const names = sku ? await get('/v1/skus', { query: { sku, limit: 100 } }) : undefined;
  const data = stock.data.map((row): Row => ({ ...row, unit: names?.data.find(isOf(row)) }));
  return { ...stock, data, cut: skus?.length === MOST && 'SKUs' };
}

const COLUMNS: Columns<Row> = {
  SKU: PLACE.SKU,
  Product: ({ unit }) =>
    unit ? <Named name={unit.name} small={Object.values(unit.attributes)} /> : <span class="soft">not on sale</span>,
  Bin: PLACE.Bin,
  Available: right(({ quantity }) => <span class={quantity === 0 ? 'bad' : ''}>{quantity.toLocaleString()}</span>),
  Change,
};

export function Stock() {
  const { query } = useRoute();
  const list = useRead(['stock', query], () => (query.out ? readOut : read)(query));
  const actions = (
    <>
      <LinkButton text="History" href={to('/stock/movements')} />
      {can('stock') && <Several isCount />}
      {can('stock') && <Several />}
    </>
  );
  return (
    <Page title="Stock" actions={actions}>
      <Filters search="SKU or name">
        <Choice name="warehouse" label="Warehouse" values={useWarehouses().map(({ code, name }) => [code, name])} />
        <Check label="Only out of stock" name="out" value="1" defaultChecked={!!query.out} />
      </Filters>
      {list.data?.cut && <Note>{`Only the first ${MOST} ${list.data.cut} that match are shown.`}</Note>}
      <List
        label="Stock rows"
        noun={query.out ? 'SKU' : 'row'}
        query={list}
        columns={COLUMNS}
        empty="No stock matches."
        keyOf={keyOf}
      />
    </Page>
  );
}
