import { api, useGet, type Order } from '../http.js';
import { Facts, Named, Rows, Table, type Column } from '../parts/list.js';
import { Badge, Copy, Note, Page, PaymentBadge, Section } from '../parts/page.js';
import { Lines, money, Time, timeText } from '../parts/text.js';
import { to } from '../route.js';
import { can } from '../session.js';
import { Cancel, CorrectContact, Hold, Pay, Refund, ShipUnits } from './actions.js';
import { describe, isHeld, leftOf, StageBadge, stillOwed, type Line } from './columns.js';
import { Mails, Shipments, Timeline } from './history.js';
import { Release } from './several.js';

interface OfOrder {
  readonly order: Order;
}

export function OrderPage({ id }: { id: string }) {
  const query = useGet(['order', id], () => api.GET('/v1/orders/{id}', { params: { path: { id } } }));
  const order = query.data?.data;
  if (!order) return <Page title={id} back="Orders" waits={query} />;
  const held = isHeld(order);
  const reasons = order.fraud.reasons.map(({ rule, score }) => `${ruleText(rule)} (${score})`).join(', ');
  return (
    <Page
      title={order.receipt_number}
      back="Orders"
      aside={<Copy text={order.receipt_number} />}
      actions={<Actions order={order} held={held} />}
      badges={[
        <PaymentBadge key="payment" state={order.status} />,
        <StageBadge key="stage" stage={order.fulfillment_status} held={held} />,
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
      {held && (
        <Note tone="bad">
          <strong>Under review{reasons && `: ${reasons}`}.</strong> Nothing of it ships until you release it.
        </Note>
      )}
      {order.refund_due > 0 && (
        <Note tone="bad">
          Pay back <strong>{money(order.refund_due, order.currency)}</strong>, then record the refund here.
        </Note>
      )}
      <Goods order={order} />
      <Shipments order={order} />
      <Timeline order={order} />
    </Page>
  );
}

const ruleText = (rule: string) => rule.replaceAll('_', ' ');

/** The most likely one first. */
function Actions({ order, held }: OfOrder & { held: boolean }) {
  const isOpen = order.fulfillment_status !== 'CANCELLED' && order.line_items.some((line) => leftOf(line) > 0);
  const ships = can('fulfillment');
  const pays = can('payments');
  return (
    <>
      {ships && held && <Release orders={[order]} />}
      {ships && isOpen && <ShipUnits order={order} />}
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

/** What goes into the parcel of an order, on paper only. */
export const Slip = ({ order }: OfOrder) => (
  <article class="slip">
    <h1>{order.receipt_number}</h1>
    <Time at={order.created_at} />
    <Goods order={order} />
    <Contact order={order} />
  </article>
);

function Units({ line: { quantity, ...line } }: { line: Line }) {
  const { shipped_quantity: shipped, returned_quantity: returned, cancelled_quantity: cancelled } = line;
  const parts = [[shipped, 'shipped'] as const, [returned, 'returned'] as const, [cancelled, 'given up'] as const];
  return <Named name={quantity} small={parts.map(([n, word]) => n > 0 && `${n} ${word}`)} />;
}

const columnsOf = (currency: string): readonly Column<Line>[] => [
  { name: 'Product', cell: (line) => <Named name={line.name} small={[describe(line)]} /> },
  {
    name: 'Bins',
    cell: ({ allocations }) => (
      <Lines of={allocations.map(({ warehouse, bin, quantity }) => `${warehouse}/${bin} × ${quantity}`)} />
    ),
  },
  { name: 'Units', isNumber: true, cell: (line) => <Units line={line} /> },
  { name: 'Price', isNumber: true, cell: ({ unit_price }) => money(unit_price, currency) },
  { name: 'Sum', isNumber: true, cell: ({ line_total }) => money(line_total, currency) },
];

function Goods({ order }: OfOrder) {
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
          <tr key={name} class={name.toLowerCase()}>
            <th scope="row" colSpan={4}>
              {name}
            </th>
            <td class="n">{money(amount, order.currency)}</td>
          </tr>
        ))}
      />
      {order.notes && <blockquote>{`Note of the customer: ${order.notes}`}</blockquote>}
    </Section>
  );
}

function Amounts({ order }: OfOrder) {
  const refunded = order.refunds.reduce((sum, { amount }) => sum + amount, 0);
  const show = (amount: number) => money(amount, order.currency);
  return (
    <Section title="Money">
      <Facts
        facts={[
          ['Total', show(order.total_amount)],
          ['Paid', show(order.amount_paid)],
          refunded > 0 && ['Refunded', show(refunded)],
          ['Still owed', show(stillOwed(order))],
          order.refund_due > 0 && ['To pay back', show(order.refund_due)],
          ...order.payments.map(({ reference, amount, at }) => [`${reference}, ${timeText(at)}`, show(amount)] as const),
          ...order.refunds.map(({ reference, amount, at }) => [`${reference}, ${timeText(at)}`, show(-amount)] as const),
        ]}
      />
    </Section>
  );
}

function Contact({ order }: OfOrder) {
  const { name, email, phone, id } = order.customer;
  const { company, address, address2, zip, city, region, country } = order.shipping_address;
  const isShipped = order.line_items.some(({ shipped_quantity }) => shipped_quantity > 0);
  const canCorrect = can('fulfillment') && order.fulfillment_status !== 'CANCELLED' && !isShipped;
  const lines = [company, address, address2, `${zip} ${city}`.trim(), region, country];
  return (
    <Section title="Customer" actions={canCorrect && <CorrectContact order={order} />}>
      <p>
        {id ? <a href={to('/customers', { search: email || name })}>{name}</a> : <strong>{name}</strong>}
        <Lines of={[email && [email, ' ', <Copy key="copy" text={email} />], phone]} />
      </p>
      <address>{lines.some(Boolean) ? <Lines of={lines} /> : <span class="soft">No address</span>}</address>
    </Section>
  );
}

function Fraud({ order }: OfOrder) {
  const { verdict, score, reasons } = order.fraud;
  if (!verdict) return null;
  const badge = <Badge state={verdict.toLowerCase()} tone={verdict === 'ACCEPT' ? 'good' : 'bad'} />;
  return (
    <Section title="Fraud analysis" actions={badge}>
      <Facts facts={[['Score', `${score}`], ...reasons.map((each) => [ruleText(each.rule), `${each.score}`] as const)]} />
    </Section>
  );
}
