import { useEffect, useState } from 'preact/hooks';
import { get, type Order, type OrderListItem, type Schemas } from '../http.js';
import { money } from '../parts/amount.js';
import { Choices, ConfirmDialog, type Values } from '../parts/ask.js';
import { Facts, Named, right, Table, type Columns } from '../parts/list.js';
import { Lines, Time, timeText } from '../parts/text.js';
import { addressLines, labelWarnings, describe, leftOf, sumsOf, type Line } from './columns.js';

const KINDS = {
  'Packing slip': 'Units to ship and their bins, without prices',
  'Delivery note': 'Units of the newest shipment, without prices and bins',
  Order: 'Prices, taxes and the billing address',
};
type Kind = keyof typeof KINDS;
type Store = Schemas['Store'];
export type PrintProps = Readonly<{ print: (kind: Kind) => Promise<void> }>;

export function Print({ print }: PrintProps) {
  const send = ({ kind }: Values<'kind'>) => print(kind as Kind);
  return (
    <ConfirmDialog title="Print" submitLabel="Print" send={send}>
      <Choices label="Document" name="kind" begin="Packing slip" of={KINDS} />
    </ConfirmDialog>
  );
}

/**
 * Prints a document for each order, on a page of its own. While documents exist, nothing else of the page is printed.
 * @param of the documents disappear when this changes.
 */
export function useDocuments(of: unknown) {
  const [printed, setPrinted] = useState<Readonly<{ kind: Kind; store: Store; orders: readonly Order[] }>>();
  useEffect(() => setPrinted(undefined), [of]);
  useEffect(() => {
    if (printed) print();
  }, [printed]);
  const printDocuments = async (kind: Kind, chosen: readonly Pick<OrderListItem, 'id'>[]) => {
    const reads = chosen.map(async ({ id }) => (await get('/v1/orders/{id}', { path: { id } })).data);
    const [store, ...orders] = await Promise.all([get('/v1/store', {}), ...reads]);
    setPrinted({ kind, store: store.data, orders });
  };
  const documents = printed?.orders.map((order) => <Document key={order.id} {...{ ...printed, order }} />);
  return { documents, printDocuments };
}

/** The lines of a document, with the units that it is about. */
function linesOf(kind: Kind, { line_items: lines, shipments }: Order): Line[] {
  if (kind === 'Order') return lines;
  const shipped = kind === 'Delivery note' && shipments.findLast(({ status }) => status !== 'void');
  const isDone = lines.every((line) => leftOf(line) === 0);
  const unitsOf = (each: Line) => {
    if (shipped) return shipped.items.find(({ line }) => line === each.line)?.quantity ?? 0;
    return isDone ? each.quantity - each.cancelled_quantity : leftOf(each);
  };
  return lines.map((line) => ({ ...line, quantity: unitsOf(line) })).filter(({ quantity }) => quantity > 0);
}

const PRODUCT: Columns<Line> = { Product: (line) => <Named name={line.name} small={[describe(line)]} /> };
const UNITS: Columns<Line> = { Units: right(({ quantity }) => quantity.toLocaleString()) };

const columnsOf = (currency: string): Readonly<Record<Kind, Columns<Line>>> => ({
  'Packing slip': {
    ...PRODUCT,
    Bins: ({ allocations }) => {
      const left = allocations.filter(({ quantity, shipped_quantity: shipped }) => quantity > shipped);
      return (
        <Lines of={left.map((from) => `${from.warehouse}/${from.bin} × ${from.quantity - from.shipped_quantity}`)} />
      );
    },
    ...UNITS,
    Packed: right(() => <span class="box" />),
  },
  'Delivery note': { ...PRODUCT, ...UNITS },
  Order: {
    ...PRODUCT,
    ...UNITS,
    Price: right(({ unit_price }) => money(unit_price, currency)),
    Amount: right(({ line_total }) => money(line_total, currency)),
  },
});

function Document({ kind, store, order }: Readonly<{ kind: Kind; store: Store; order: Order }>) {
  const { receipt_number, currency, customer, shipments } = order;
  const { email, phone, address } = store.contact as Partial<Record<string, string>>;
  const { carrier, tracking_number, reference } =
    (kind === 'Delivery note' && shipments.findLast(({ status }) => status !== 'void')) || {};
  const isPriced = kind === 'Order';
  // The policy permits no image of another host.
  const logo = store.logo_url.startsWith('data:image/') && <img src={store.logo_url} alt="" />;
  const foot = sumsOf(order).map(([name, amount]) => (
    <tr key={name} role="row" class={name.toLowerCase()}>
      <th role="rowheader" colSpan={3} children={name} />
      <td role="cell" class="n" children={money(amount, currency)} />
    </tr>
  ));
  return (
    <article class="slip" hidden>
      <header>
        {logo}
        <strong class="line">{store.name}</strong>
        <Lines of={[...(address ?? '').split('\n'), email, phone]} />
      </header>
      <h2>{`${kind} ${receipt_number}`}</h2>
      <div class="pair">
        <address>
          <strong>Deliver to</strong>
          {kind === 'Packing slip' && (
            <Lines
              of={labelWarnings(order).map((text) => (
                <strong key={text} children={text} />
              ))}
            />
          )}
          <Lines of={[customer.name, ...addressLines({ ...order.shipping_address, vat_id: '' }), customer.phone]} />
        </address>
        {isPriced && (
          <address>
            <strong>Bill to</strong>
            <Lines of={addressLines({ ...order.billing_address, name: order.billing_address.name || customer.name })} />
          </address>
        )}
        <Facts
          facts={[
            ['Ordered', <Time key="at" at={order.created_at} />],
            order.external_reference !== '' && ['Your reference', order.external_reference],
            !!reference && ['Shipment', reference],
            !!carrier && ['Carrier', carrier],
            !!tracking_number && ['Tracking number', tracking_number],
            isPriced && ['Payment', order.payment_method.replaceAll('_', ' ')],
            isPriced && ['Paid', money(order.amount_paid, currency)],
            isPriced && ['Outstanding', money(order.amount_open, currency)],
            isPriced && !!order.due_at && ['Due', timeText(order.due_at)],
          ]}
        />
      </div>
      <Table
        label={`Lines of ${receipt_number}`}
        rows={linesOf(kind, order)}
        columns={columnsOf(currency)[kind]}
        foot={isPriced && foot}
      />
      {order.notes && <blockquote>{`Note: ${order.notes}`}</blockquote>}
    </article>
  );
}
