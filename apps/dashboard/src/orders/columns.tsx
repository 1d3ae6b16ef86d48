import { mode, type Order, type OrderListItem, type OrderQuery } from '../http.js';
import { money } from '../parts/amount.js';
import { Named, right, type Columns } from '../parts/list.js';
import { Badge, PaymentBadge } from '../parts/page.js';
import { joined, Time, timeText } from '../parts/text.js';
import { to } from '../route.js';

export const INCLUDE: OrderQuery['include'] = [
  'held',
  'units',
  'refund_due',
  'due_at',
  'external_reference',
  'is_test',
  'amounts',
];
export const ONLY_MODE = { is_test: mode === 'test' };
export type OfOrder = Readonly<{ order: Order }>;

export type Line = Order['line_items'][number];
/** Units of a line that are still to ship. */
export const leftOf = ({ quantity, shipped_quantity, cancelled_quantity }: Line): number =>
  quantity - shipped_quantity - cancelled_quantity;

export const describe = ({ sku, attributes }: Pick<Line, 'sku' | 'attributes'>): string =>
  joined([sku, ...Object.values(attributes)]);

export function StageBadge({ stage, held = false }: { stage: string; held: boolean | undefined }) {
  if (held) return <Badge state="held" word="under review" />;
  const isToShip = stage === 'PENDING' || stage === 'CONFIRMED';
  return <Badge state={stage} word={isToShip ? 'to ship' : undefined} />;
}

export const COLUMNS = {
  Order: ({ receipt_number: name, external_reference }) => (
    <Named name={name} href={to(`/orders/${name}`)} small={[external_reference]} />
  ),
  Placed: ({ created_at }) => <Time at={created_at} />,
  Customer: ({ customer_name }) => <Named name={customer_name} />,
  Payment: ({ status, due_at }) => (
    <>
      <PaymentBadge state={status} />
      {status === 'PENDING' && !!due_at && new Date(due_at) < new Date() && (
        <small class="bad">due {timeText(due_at)}</small>
      )}
    </>
  ),
  Fulfillment: ({ fulfillment_status, held }) => <StageBadge stage={fulfillment_status} held={held} />,
  Units: right(({ units }) => units),
  Total: right(({ total_amount, refund_due, currency }) => (
    <>
      {money(total_amount, currency)}
      {!!refund_due && <small class="bad">refund due {money(refund_due, currency)}</small>}
    </>
  )),
} satisfies Columns<OrderListItem>;

/** The taxes, charges and the total of an order, which follow its lines. */
export function sumsOf(order: Order): readonly (readonly [name: string, amount: number])[] {
  const { tax_lines, tax_amount, shipping_amount, discount_amount, adjustment_amount } = order;
  const included = tax_lines.reduce((sum, tax) => sum + (tax.included ? tax.amount : 0), 0);
  const taxes = tax_lines.map(({ name, rate, included: isIncluded, amount }) => {
    return [`${name} ${rate} %${isIncluded ? ' (included)' : ''}`, amount] as const;
  });
  const parts = [
    ...(taxes.length > 0 ? taxes : [['Tax', tax_amount] as const]),
    ['Shipping', shipping_amount] as const,
    ['Discount', -discount_amount] as const,
    ['Adjustment', adjustment_amount + included] as const,
  ];
  return [...parts.filter(([, amount]) => amount !== 0), ['Total', order.total_amount]];
}

type Address = Partial<Order['billing_address']>;

export function addressLines({ name, company, vat_id, address, address2, zip, city, region, country }: Address) {
  const place = `${zip ?? ''} ${city ?? ''}`.trim();
  return [name, company, vat_id && `VAT ID ${vat_id}`, address, address2, place, region, country];
}

/** Lists the parcels that may have the label of the previous address, to warn the picker. */
export const labelWarnings = ({ shipments }: Order): string[] =>
  shipments
    .filter(({ address_changed }) => address_changed)
    .map(
      ({ reference }) =>
        `The address or contact was corrected after picking for ${reference} began. Check the shipping label.`,
    );
