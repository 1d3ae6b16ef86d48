import { api, useGet, type Schemas } from '../http.js';
import { List, Named, PAGE_SIZE, type Column } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { Time } from '../parts/text.js';
import { to, useRoute } from '../route.js';

export type StockRow = Schemas['StockListItem'];
type Movement = Schemas['StockMovement'];

export const useWarehouses = () =>
  useGet(['warehouses'], () => api.GET('/v1/warehouses', { params: { query: { limit: 100 } } })).data?.data ?? [];

function Bin({ warehouse, bin }: Pick<StockRow, 'warehouse' | 'bin'>) {
  const isClosed = useWarehouses().some(({ code, active }) => code === warehouse && !active);
  return (
    <Named
      name={bin ? <span class="n">{`${warehouse}/${bin}`}</span> : '–'}
      small={[isClosed && 'closed, not for sale']}
    />
  );
}

export const SKU: Column<Pick<StockRow, 'sku' | 'product_id'>> = {
  name: 'SKU',
  cell: ({ sku, product_id }) => <Named name={sku || `Product ${product_id}`} href={to(`/products/${product_id}`)} />,
};
export const BIN: Column<Pick<StockRow, 'warehouse' | 'bin'>> = { name: 'Bin', cell: (row) => <Bin {...row} /> };

const WHAT: readonly Column<Movement>[] = [
  { name: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    name: 'Why',
    cell: ({ kind, order_id, reference }) => {
      const word = kind.toLowerCase();
      return order_id ? <a href={to(`/orders/${order_id}`)}>{word}</a> : `${word} ${reference}`;
    },
  },
  { name: 'Who', cell: ({ actor }) => actor?.name },
  { name: 'Units', isNumber: true, cell: ({ quantity: n }) => `${n > 0 ? '+' : ''}${n.toLocaleString()}` },
];

/** The filter of a row of the stock. The ledger finds a unit by its SKU, or else by its product. */
export const filterOf = ({ sku, product_id, warehouse, bin }: StockRow) => ({
  ...(sku ? { sku } : { product_id: String(product_id) }),
  warehouse,
  bin,
});

const useMovements = (query: object) =>
  useGet(['stock', 'movements', query], () => api.GET('/v1/stock/movements', { params: { query } }), { keep: true });

export function Newest({ row }: { row: StockRow }) {
  const query = useMovements({ ...filterOf(row), limit: 3 });
  return <List label="Newest movements" query={query} columns={WHAT} empty="Nothing has moved." />;
}

export function Movements() {
  const { query } = useRoute();
  const list = useMovements({ ...query, limit: PAGE_SIZE, page: Number(query.page ?? 1) });
  const columns = [SKU, BIN, ...WHAT];
  return (
    <Page title={query.sku ? `History of ${query.sku}` : 'History of the stock'} back="Stock">
      {query.warehouse && <p class="facts">{`${query.warehouse}/${query.bin ?? ''}`}</p>}
      <List label="Movements" noun="movement" query={list} columns={columns} empty="Nothing has moved." all={{}} />
    </Page>
  );
}
