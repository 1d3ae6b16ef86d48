import type { JSX } from 'preact';
import { api, useGet, type Schemas } from '../http.js';
import { Back, List } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { PAGE_SIZE, type Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { to, useRoute } from '../route.js';

export type StockRow = Schemas['StockListItem'];
type Movement = Schemas['StockMovement'];

const signed = (n: number): string => `${n > 0 ? '+' : ''}${n.toLocaleString()}`;

function Why({ movement: { kind, order_id, reference } }: { movement: Movement }): JSX.Element {
  const word = kind.toLowerCase();
  return order_id ? <a href={to(`/orders/${order_id}`)}>{word}</a> : <span>{`${word} ${reference}`}</span>;
}

const COLUMNS: readonly Column<Movement>[] = [
  { name: 'When', cell: ({ at }) => <Time at={at} /> },
  { name: 'Why', cell: (movement) => <Why movement={movement} /> },
  {
    name: 'SKU',
    cell: ({ sku, product_id }) => (
      <a class="line" href={to(`/products/${product_id}`)}>
        {sku || product_id}
      </a>
    ),
  },
  { name: 'Bin', cell: ({ warehouse, bin }) => <span class="n">{`${warehouse}/${bin}`}</span> },
  { name: 'Who', cell: ({ actor }) => actor?.name ?? '' },
  { name: 'Units', isNumber: true, cell: ({ quantity }) => signed(quantity) },
];

/** The filter of a row of the stock. The ledger finds a unit by its SKU, or else by its product. */
export const filterOf = ({ sku, product_id, warehouse, bin }: StockRow) => ({
  ...(sku ? { sku } : { product_id: String(product_id) }),
  warehouse,
  bin,
});

const useMovements = (filter: object) =>
  useGet(['stock', 'movements', filter], () => api.GET('/v1/stock/movements', { params: { query: filter } }), {
    keep: true,
  });

/** The last movements of a row, for a dialog. */
export function Newest({ row }: { row: StockRow }): JSX.Element {
  const query = useMovements({ ...filterOf(row), limit: 3 });
  return (
    <ul class="rows tight">
      {query.data?.data.map((movement, index) => (
        <li key={index}>
          <strong>{signed(movement.quantity)}</strong>
          <span class="grow">
            <Why movement={movement} /> {movement.actor?.name}
          </span>
          <Time at={movement.at} />
        </li>
      ))}
    </ul>
  );
}

export function Movements(): JSX.Element {
  const route = useRoute();
  const { sku, warehouse, bin, page } = route.query;
  const list = useMovements({ ...route.query, limit: PAGE_SIZE, page: Number(page ?? 1) });
  return (
    <Page title={sku ? `History of ${sku}` : 'History of the stock'} above={<Back path="/stock" name="Stock" />}>
      {warehouse && <p class="facts">{`${warehouse}/${bin ?? ''}`}</p>}
      <List
        label="Movements"
        noun="movement"
        query={list}
        columns={COLUMNS}
        empty="Nothing has moved."
        route={route}
        keyOf={(row) => JSON.stringify(row)}
      />
    </Page>
  );
}
