import type { JSX } from 'preact';
import { api, useGet, type Order } from '../http.js';
import { done } from '../parts/announce.js';
import { Badge, PaymentBadge } from '../parts/badge.js';
import { Copy } from '../parts/copy.js';
import { Back, Facts } from '../parts/list.js';
import { money } from '../parts/money.js';
import { Note, Page, Section, Waiting } from '../parts/page.js';
import { Table, type Column } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { to } from '../route.js';
import { can } from '../session.js';
import { Ask } from '../parts/ask.js';
import { Cancel, Hold, Pay, Refund, Release, Ship } from './actions.js';
import { CorrectContact } from './contact.js';
import { Mails } from './mails.js';
import { leftOf, stateOf, stillOwed } from './stages.js';
import { Timeline } from './timeline.js';

export function OrderPage({ id }: { id: string }): JSX.Element {
  const query = useGet(['order', id], () => api.GET('/v1/orders/{id}', { params: { path: { id } } }));
  const order = query.data?.data;
  const back = <Back path="/orders" name="Orders" />;
  if (!order)
    return (
      <Page title={id} above={back}>
        <Waiting query={query} rows={8} />
      </Page>
    );
  const isHeld = order.pipeline.some(({ state }) => state === 'held');
  return (
    <Page
      title={order.receipt_number}
      above={back}
      aside={<Copy text={order.receipt_number} />}
      actions={<Actions order={order} isHeld={isHeld} />}
    >
      <p class="facts">
        <PaymentBadge state={order.status} />
        <Badge {...stateOf({ ...order, held: isHeld })} />
        {order.is_test && <Badge state="test" />}
        <span>
          <Time at={order.created_at} />
        </span>
        <span>{order.source === 'POS' ? 'point of sale' : 'website'}</span>
        <span>{order.payment_method.replaceAll('_', ' ')}</span>
        {order.external_reference && <span>your number {order.external_reference}</span>}
      </p>
      {isHeld && <UnderReview order={order} />}
      {order.refund_due > 0 && (
        <Note tone="bad">
          <span>
            Pay back <strong>{money(order.refund_due, order.currency)}</strong>, then record the refund here.
          </span>
        </Note>
      )}
      <div class="columns">
        <div>
          <Lines order={order} />
          <Shipments order={order} />
          <Timeline order={order} />
        </div>
        <aside aria-label="About the order">
          <Contact order={order} />
          <Amounts order={order} />
          <Mails order={order} />
          <Fraud order={order} />
        </aside>
      </div>
    </Page>
  );
}

/** The most likely one first. */
function Actions({ order, isHeld }: { order: Order; isHeld: boolean }): JSX.Element {
  const isOpen = order.fulfillment_status !== 'CANCELLED' && order.line_items.some((line) => leftOf(line) > 0);
  return (
    <>
      {can('fulfillment') && (
        <>
          {isHeld && <Release order={order} />}
          {isOpen && <Ship order={order} reason={isHeld ? 'It is under review: release it first.' : undefined} />}
        </>
      )}
      {can('payments') && (
        <>
          <Pay order={order} />
          <Refund order={order} />
        </>
      )}
      <button type="button" onClick={() => print()}>
        Print slip
      </button>
      {can('fulfillment') && isOpen && !isHeld && <Hold order={order} />}
      {can('fulfillment') && isOpen && <Cancel order={order} />}
    </>
  );
}

const ruleText = (rule: string) => rule.replaceAll('_', ' ');

function UnderReview({ order }: { order: Order }): JSX.Element {
  const reasons = order.fraud.reasons.map(({ rule, score }) => `${ruleText(rule)} (${score})`).join(', ');
  return (
    <Note tone="bad">
      <span>
        <strong>Under review{reasons && `: ${reasons}`}.</strong> Nothing of it ships until you release it.
      </span>
    </Note>
  );
}

function Units({ line }: { line: Line }): JSX.Element {
  const parts = [
    line.shipped_quantity > 0 && `${line.shipped_quantity} shipped`,
    line.returned_quantity > 0 && `${line.returned_quantity} returned`,
    line.cancelled_quantity > 0 && `${line.cancelled_quantity} given up`,
  ].filter((part) => part !== false);
  return (
    <>
      {line.quantity}
      {parts.length > 0 && <small>{parts.join(', ')}</small>}
    </>
  );
}

type Line = Order['line_items'][number];

const columnsOf = (currency: string): readonly Column<Line>[] => [
  {
    name: 'Product',
    cell: (line) => (
      <>
        {line.name}
        <small>{[line.sku, ...Object.values(line.attributes)].filter(Boolean).join(' · ')}</small>
      </>
    ),
  },
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

function Lines({ order }: { order: Order }): JSX.Element {
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
        keyOf={({ line }) => String(line)}
        foot={[...sums, { name: 'Total', amount: order.total_amount }].map(({ name, amount }) => (
          <tr key={name} class={name.toLowerCase()}>
            <th scope="row" colSpan={4}>
              {name}
            </th>
            <td class="n">{money(amount, order.currency)}</td>
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

function Shipments({ order }: { order: Order }): JSX.Element | null {
  if (order.shipments.length === 0) return null;
  return (
    <Section title="Shipments" flush>
      <ul class="rows">
        {order.shipments.map((shipment) => (
          <li key={shipment.reference}>
            <span class="grow">
              <strong>{shipment.reference}</strong>
              <small>
                {shipment.items.map(({ line, quantity }) => `${quantity} × line ${line}`).join(', ')}
                {shipment.carrier && ` · ${shipment.carrier}`} {shipment.tracking_number}
              </small>
            </span>
            <Badge state={shipment.status} />
            {shipment.shipped_at && <Time at={shipment.shipped_at} />}
            {can('fulfillment') &&
              NEXT[shipment.status]?.map((status) => (
                <ChangeShipment key={status} order={order} shipment={shipment} status={status} />
              ))}
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ChangeShipmentProps {
  readonly order: Order;
  readonly shipment: Shipment;
  readonly status: 'shipped' | 'delivered' | 'void';
}

function ChangeShipment({ order, shipment, status }: ChangeShipmentProps): JSX.Element {
  const { reference } = shipment;
  const change = async () => {
    const path = { id: order.id, reference };
    await api.PATCH('/v1/orders/{id}/shipments/{reference}', { params: { path }, body: { status } });
    await done(`${reference} is ${status}.`);
  };
  return (
    <Ask
      label={`${VERBS[status]}…`}
      title={`Is ${reference} ${status}?`}
      verb={VERBS[status]}
      tone={status === 'void' ? 'danger' : 'quiet'}
      onSubmit={change}
    >
      <p class="soft">
        {status === 'void' ? 'Its units are to ship again.' : 'The history of the order keeps the time.'}
      </p>
    </Ask>
  );
}

function Amounts({ order }: { order: Order }): JSX.Element {
  const refunded = order.refunds.reduce((sum, { amount }) => sum + amount, 0);
  const show = (amount: number) => money(amount, order.currency);
  return (
    <Section title="Money">
      <Facts
        facts={[
          ['Total', show(order.total_amount)],
          ['Paid', show(order.amount_paid)],
          ...(refunded > 0 ? [['Refunded', show(refunded)] as const] : []),
          ['Still owed', show(stillOwed(order))],
          ...(order.refund_due > 0 ? [['To pay back', show(order.refund_due)] as const] : []),
        ]}
      />
      {order.payments.length + order.refunds.length > 0 && (
        <ul class="rows tight">
          {[
            ...order.payments.map((payment) => ({ ...payment, word: 'payment', sign: 1 })),
            ...order.refunds.map((refund) => ({ ...refund, word: 'refund', sign: -1 })),
          ].map(({ reference, amount, at, word, sign }) => (
            <li key={word + reference}>
              <span class="grow">
                {reference}
                <small>
                  {word}, <Time at={at} />
                </small>
              </span>
              <span class="n">{show(sign * amount)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Contact({ order }: { order: Order }): JSX.Element {
  const { name, email, phone, id } = order.customer;
  const { company, address, address2, zip, city, region, country } = order.shipping_address;
  const lines = [company, address, address2, [zip, city].filter(Boolean).join(' '), region, country].filter(Boolean);
  const isShipped = order.line_items.some(({ shipped_quantity }) => shipped_quantity > 0);
  return (
    <Section
      title="Customer"
      actions={
        can('fulfillment') && order.fulfillment_status !== 'CANCELLED' && !isShipped && <CorrectContact order={order} />
      }
    >
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

function Fraud({ order }: { order: Order }): JSX.Element | null {
  const { verdict, score, reasons } = order.fraud;
  if (!verdict) return null;
  return (
    <Section
      title="Fraud analysis"
      actions={<Badge state={verdict.toLowerCase()} tone={verdict === 'ACCEPT' ? 'good' : 'bad'} />}
    >
      <p class="soft">Score {score}</p>
      <ul class="rows tight">
        {reasons.map(({ rule, score: part }) => (
          <li key={rule}>
            <span class="grow">{ruleText(rule)}</span>
            <span class="n">{part}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
