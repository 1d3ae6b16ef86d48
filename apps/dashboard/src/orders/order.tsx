import { api, useGet, type Order } from '../http.js';
import { Ask } from '../parts/ask.js';
import { Facts, Named, Rows, Table, type Column } from '../parts/list.js';
import { Badge, Copy, Note, Page, PaymentBadge, Section } from '../parts/page.js';
import { money, Time } from '../parts/text.js';
import { to } from '../route.js';
import { can } from '../session.js';
import { Cancel, CorrectContact, Hold, Pay, Refund, Release, Ship } from './actions.js';
import { describe, isHeld, leftOf, stateOf, stillOwed, type Line } from './columns.js';
import { Mails } from './mails.js';
import { Timeline } from './timeline.js';

export function OrderPage({ id }: { id: string }) {
  const query = useGet(['order', id], () => api.GET('/v1/orders/{id}', { params: { path: { id } } }));
  const order = query.data?.data;
  if (!order) return <Page title={id} back="Orders" waits={query} />;
  return (
    <Page
      title={order.receipt_number}
      back="Orders"
      aside={<Copy text={order.receipt_number} />}
      actions={<Actions order={order} />}
      badges={[
        <PaymentBadge key="payment" state={order.status} />,
        <Badge key="stage" {...stateOf({ ...order, held: isHeld(order) })} />,
        order.is_test && <Badge key="mode" state="test" />,
      ]}
      facts={[
        <Time key="placed" at={order.created_at} />,
        order.source === 'POS' ? 'point of sale' : 'website',
        order.payment_method.replaceAll('_', ' '),
        order.external_reference && `your number ${order.external_reference}`,
      ]}
      about={
        <>
          <Contact order={order} />
          <Amounts order={order} />
          <Mails order={order} />
          <Fraud order={order} />
        </>
      }
    >
      {isHeld(order) && <UnderReview order={order} />}
      {order.refund_due > 0 && (
        <Note tone="bad">
          Pay back <strong>{money(order.refund_due, order.currency)}</strong>, then record the refund here.
        </Note>
      )}
      <Lines order={order} />
      <Shipments order={order} />
      <Timeline order={order} />
    </Page>
  );
}

/** The most likely one first. */
function Actions({ order }: { order: Order }) {
  const isOpen = order.fulfillment_status !== 'CANCELLED' && order.line_items.some((line) => leftOf(line) > 0);
  const held = isHeld(order);
  const ships = can('fulfillment');
  const pays = can('payments');
  return (
    <>
      {ships && held && <Release order={order} />}
      {ships && isOpen && <Ship order={order} />}
      {pays && <Pay order={order} />}
      {pays && <Refund order={order} />}
      <button type="button" onClick={() => print()}>
        Print slip
      </button>
      {ships && isOpen && !held && <Hold order={order} />}
      {ships && isOpen && <Cancel order={order} />}
    </>
  );
}

const ruleText = (rule: string) => rule.replaceAll('_', ' ');

function UnderReview({ order }: { order: Order }) {
  const reasons = order.fraud.reasons.map(({ rule, score }) => `${ruleText(rule)} (${score})`).join(', ');
  return (
    <Note tone="bad">
      <strong>Under review{reasons && `: ${reasons}`}.</strong> Nothing of it ships until you release it.
    </Note>
  );
}

function Units({ line: { quantity, ...line } }: { line: Line }) {
  const { shipped_quantity: shipped, returned_quantity: returned, cancelled_quantity: cancelled } = line;
  const parts = [[shipped, 'shipped'] as const, [returned, 'returned'] as const, [cancelled, 'given up'] as const];
  return <Named name={quantity} small={parts.map(([n, word]) => n > 0 && `${n} ${word}`)} />;
}

const columnsOf = (currency: string): readonly Column<Line>[] => [
  { name: 'Product', cell: (line) => <Named name={line.name} small={[describe(line)]} /> },
  {
    name: 'Bins',
    cell: ({ allocations }) =>
      allocations.map(({ warehouse, bin, quantity }) => (
        <span class="line soft" key={`${warehouse}/${bin}`}>
          {warehouse}/{bin} × {quantity}
        </span>
      )),
  },
  { name: 'Units', isNumber: true, cell: (line) => <Units line={line} /> },
  { name: 'Price', isNumber: true, cell: ({ unit_price }) => money(unit_price, currency) },
  { name: 'Sum', isNumber: true, cell: ({ line_total }) => money(line_total, currency) },
];

function Lines({ order }: { order: Order }) {
  const sums = [
    { name: 'Tax', amount: order.tax_amount },
    { name: 'Shipping', amount: order.shipping_amount },
    { name: 'Discount', amount: -order.discount_amount },
    { name: 'Adjustment', amount: order.adjustment_amount },
  ].filter(({ amount }) => amount !== 0);
  return (
    <Section title="Lines" flush>
      <Table
        label="Table of the lines"
        rows={order.line_items}
        columns={columnsOf(order.currency)}
        foot={[...sums, { name: 'Total', amount: order.total_amount }].map(({ name, amount }) => (
          <tr key={name} role="row" class={name.toLowerCase()}>
            <th role="rowheader" colSpan={4}>
              {name}
            </th>
            <td role="cell" class="n">
              {money(amount, order.currency)}
            </td>
          </tr>
        ))}
      />
      {order.notes && (
        <blockquote>
          {order.notes}
          <small>Note of the customer</small>
        </blockquote>
      )}
    </Section>
  );
}

type Shipment = Order['shipments'][number];
const NEXT: Readonly<Record<string, readonly ('shipped' | 'delivered' | 'void')[]>> = {
  picking: ['shipped', 'void'],
  shipped: ['delivered'],
};
const VERBS = { shipped: 'Shipped', delivered: 'Delivered', void: 'Void' } as const;

function Shipments({ order }: { order: Order }) {
  if (order.shipments.length === 0) return null;
  const detail = ({ items, carrier, tracking_number }: Shipment) =>
    [items.map(({ line, quantity }) => `${quantity} × line ${line}`).join(', '), `${carrier} ${tracking_number}`.trim()]
      .filter(Boolean)
      .join(' · ');
  const end = (shipment: Shipment) => (
    <>
      <Badge state={shipment.status} />
      {shipment.shipped_at && <Time at={shipment.shipped_at} />}
      {can('fulfillment') &&
        NEXT[shipment.status]?.map((status) => (
          <ChangeShipment key={status} path={{ id: order.id, reference: shipment.reference }} status={status} />
        ))}
    </>
  );
  return (
    <Section title="Shipments" flush>
      <Rows
        rows={order.shipments.map((shipment) => ({
          key: shipment.reference,
          name: <strong>{shipment.reference}</strong>,
          detail: detail(shipment),
          end: end(shipment),
        }))}
      />
    </Section>
  );
}

interface ChangeShipmentProps {
  readonly path: { readonly id: string; readonly reference: string };
  readonly status: keyof typeof VERBS;
}

const ChangeShipment = ({ path, status }: ChangeShipmentProps) => (
  <Ask
    title={`Is ${path.reference} ${status}?`}
    verb={VERBS[status]}
    tone={status === 'void' ? 'danger' : 'quiet'}
    text={status === 'void' ? 'Its units are to ship again.' : 'The history of the order keeps the time.'}
    send={() => api.PATCH('/v1/orders/{id}/shipments/{reference}', { params: { path }, body: { status } })}
    said={`${path.reference} is ${status}.`}
  />
);

function Amounts({ order }: { order: Order }) {
  const refunded = order.refunds.reduce((sum, { amount }) => sum + amount, 0);
  const show = (amount: number) => money(amount, order.currency);
  const moved = [
    ...order.payments.map((payment) => ({ ...payment, word: 'payment' })),
    ...order.refunds.map((refund) => ({ ...refund, word: 'refund', amount: -refund.amount })),
  ];
  return (
    <Section title="Money">
      <Facts
        facts={[
          ['Total', show(order.total_amount)],
          ['Paid', show(order.amount_paid)],
          refunded > 0 && ['Refunded', show(refunded)],
          ['Still owed', show(stillOwed(order))],
          order.refund_due > 0 && ['To pay back', show(order.refund_due)],
        ]}
      />
      <Rows
        rows={moved.map(({ reference, amount, at, word }) => ({
          key: word + reference,
          name: reference,
          detail: [`${word}, `, <Time key="at" at={at} />],
          end: <span class="n">{show(amount)}</span>,
        }))}
      />
    </Section>
  );
}

function Contact({ order }: { order: Order }) {
  const { name, email, phone, id } = order.customer;
  const { company, address, address2, zip, city, region, country } = order.shipping_address;
  const lines = [company, address, address2, [zip, city].filter(Boolean).join(' '), region, country].filter(Boolean);
  const isShipped = order.line_items.some(({ shipped_quantity }) => shipped_quantity > 0);
  const canCorrect = can('fulfillment') && order.fulfillment_status !== 'CANCELLED' && !isShipped;
  return (
    <Section title="Customer" actions={canCorrect && <CorrectContact order={order} />}>
      <p>
        {id ? <a href={to('/customers', { search: email || name })}>{name}</a> : <strong>{name}</strong>}
        {email && (
          <span class="line">
            {email} <Copy text={email} />
          </span>
        )}
        {phone && <span class="line">{phone}</span>}
      </p>
      <address>
        {lines.length === 0 && <span class="soft">No address</span>}
        {lines.map((line) => (
          <span class="line" key={line}>
            {line}
          </span>
        ))}
      </address>
    </Section>
  );
}

function Fraud({ order }: { order: Order }) {
  const { verdict, score, reasons } = order.fraud;
  if (!verdict) return null;
  const badge = <Badge state={verdict.toLowerCase()} tone={verdict === 'ACCEPT' ? 'good' : 'bad'} />;
  return (
    <Section title="Fraud analysis" actions={badge}>
      <p class="soft">Score {score}</p>
      <Rows
        rows={reasons.map((reason) => ({
          key: reason.rule,
          name: ruleText(reason.rule),
          end: <span class="n">{reason.score}</span>,
        }))}
      />
    </Section>
  );
}
