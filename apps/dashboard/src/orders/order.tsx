import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, get, lastOf, MAX_PAGES, useGet, useRead, type Order, type Schemas } from '../http.js';
import { money } from '../parts/amount.js';
import { ConfirmDialog, Field, type Values } from '../parts/ask.js';
import { capitalize, Facts, Named, Rows, Table, right, type Columns } from '../parts/list.js';
import { Badge, Button, Copy, Note, Page, PaymentBadge, RowActions, Section, QueryStatus } from '../parts/page.js';
import { count, joined, Lines, Time, timeText } from '../parts/text.js';
import { to } from '../route.js';
import { can } from '../session.js';
import {
  Cancel,
  change,
  CorrectBilling,
  CorrectContact,
  EditTracking,
  Hold,
  OrderDialog,
  Pay,
  Refund,
  Release,
  Reverse,
  ShipUnits,
} from './actions.js';
import { ChangeLines } from './change-lines.js';
import {
  addressLines,
  labelWarnings,
  describe,
  leftOf,
  StageBadge,
  sumsOf,
  type Line,
  type OfOrder,
} from './columns.js';
import { Print, useDocuments, type PrintProps } from './documents.js';

export function OrderPage({ id }: { id: string }) {
  const query = useGet('/v1/orders/{id}', { path: { id } });
  const order = query.data?.data;
  const { documents, printDocuments } = useDocuments(order);
  if (!order) return <Page title={id} back="Orders" waits={query} />;
  const { refund_due: due, currency } = order;
  const { held } = order;
  return (
    <Page
      title={order.receipt_number}
      back="Orders"
      aside={<Copy text={order.receipt_number} />}
      actions={<Actions order={order} held={held} print={(kind) => printDocuments(kind, [order])} />}
      badges={[
        <PaymentBadge key="payment" state={order.status} />,
        <StageBadge key="stage" stage={order.fulfillment_status} held={held} />,
        order.is_test && <Badge key="mode" state="test" />,
      ]}
      facts={[
        <Time key="placed" at={order.created_at} />,
        order.source === 'POS' ? 'point of sale' : 'website',
        order.payment_method.replaceAll('_', ' '),
        order.external_reference && `your reference ${order.external_reference}`,
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
      {held && <Held order={order} />}
      {labelWarnings(order).map((text) => (
        <Note key={text} tone="wait" children={text} />
      ))}
      {due > 0 && (
        <Note tone="bad">{`Refund ${money(due, currency)} through your bank or gateway, then record it here.`}</Note>
      )}
      <Goods order={order} actions={canCorrect(order) && <ChangeLines order={order} />} />
      <Shipments order={order} />
      <Timeline order={order} />
      {documents}
    </Page>
  );
}

const ruleText = (rule: string) => rule.replaceAll('_', ' ');

/** The events of the last pages, the oldest first. */
function useHistory(id: string, pages: number) {
  const path = { id };
  const read = () => lastOf((query) => get('/v1/orders/{id}/history', { path, query }), pages);
  return useRead(['/v1/orders/{id}/history', { path }, pages], read);
}

/** The last page may be short: together with the previous one, at least a full page of events is shown. */
const FIRST_PAGES = 2;
const isHolding = ({ event }: OrderEvent) => event === 'held';

function Held({ order: { id, fraud } }: OfOrder) {
  const recent = useHistory(id, FIRST_PAGES).data;
  const isEarlier = recent && recent.left > 0 && !recent.data.some(isHolding);
  const held = useHistory(id, isEarlier ? MAX_PAGES : FIRST_PAGES).data?.data.findLast(isHolding);
  const rules = fraud.reasons.map(({ rule, score }) => `${ruleText(rule)} (${score})`).join(', ');
  const why = joined([held?.details.reason || rules]);
  return <Note tone="bad">{`Under review${why && `: ${why}`}. The order does not ship until you release it.`}</Note>;
}

function Actions({ order, held, print }: OfOrder & PrintProps & { held: boolean }) {
  const isOpen = order.fulfillment_status !== 'CANCELLED' && order.line_items.some((line) => leftOf(line) > 0);
  const ships = can('fulfillment');
  const pays = can('payments');
  const confirms = order.pipeline.some(({ state }) => state === 'held')
    ? 'The confirmation email is sent, and the order'
    : 'The order';
  return (
    <>
      {ships && held && <Release orders={[order]} text={`${confirms} can ship.`} />}
      {ships && isOpen && <ShipUnits order={order} />}
      {pays && <Pay order={order} />}
      {pays && <Refund order={order} />}
      <Print print={print} />
      {ships && isOpen && !held && <Hold order={order} />}
      {ships && isOpen && <Cancel order={order} />}
    </>
  );
}

function Units({ line: { quantity, ...line } }: { line: Line }) {
  const { shipped_quantity: shipped, returned_quantity: returned, cancelled_quantity: cancelled } = line;
  const parts = [[shipped, 'shipped'] as const, [returned, 'returned'] as const, [cancelled, 'cancelled'] as const];
  return <Named name={quantity} small={parts.map(([n, word]) => n > 0 && `${n} ${word}`)} />;
}

const columnsOf = (currency: string): Columns<Line> => ({
  Product: (line) => <Named name={line.name} small={[describe(line)]} />,
  Bins: ({ allocations }) => (
    <Lines of={allocations.map(({ warehouse, bin, quantity }) => `${warehouse}/${bin} × ${quantity}`)} />
  ),
  Units: right((line) => <Units line={line} />),
  Price: right(({ unit_price, price_source }) => <Named name={money(unit_price, currency)} small={[price_source]} />),
  Amount: right(({ line_total }) => money(line_total, currency)),
});

function Goods({ order, actions }: OfOrder & { actions?: ComponentChildren }) {
  const { line_items, currency } = order;
  const foot = sumsOf(order).map(([name, amount]) => (
    <tr key={name} role="row" class={name.toLowerCase()}>
      <th role="rowheader" colSpan={4} children={name} />
      <td role="cell" class="n" children={money(amount, currency)} />
    </tr>
  ));
  return (
    <Section title="Lines" actions={actions}>
      <Table label="Order lines" rows={line_items} columns={columnsOf(currency)} foot={foot} />
      {order.notes && <blockquote>{`Customer note: ${order.notes}`}</blockquote>}
    </Section>
  );
}

function Amounts({ order }: OfOrder) {
  const { amount_credited: credited, amount_refunded: refunded, payments, refunds, currency } = order;
  const fact = (name: string, amount: number) => [name, money(amount, currency)] as const;
  const facts = [
    fact('Total', order.total_amount),
    credited > 0 && fact('Credited', -credited),
    credited > 0 && fact('Owed', order.amount_owed),
    order.cancellation_fee > 0 && fact('Cancellation fee', order.cancellation_fee),
    fact('Paid', order.amount_paid),
    refunded > 0 && fact('Refunded', -refunded),
    fact('Outstanding', order.amount_open),
    !!order.due_at && (['Due', timeText(order.due_at)] as const),
    order.refund_due > 0 && fact('Refund due', order.refund_due),
    ...payments.map((payment) => {
      const { reference, at, amount } = payment;
      const reverse = (
        <RowActions key="reverse" of={reference}>
          <Reverse {...{ order, payment }} />
        </RowActions>
      );
      const value = [money(amount, currency), can('payments') && reverse];
      return [`Payment ${reference}, ${timeText(at)}`, value] as const;
    }),
    ...refunds.map(({ reference, at, amount, reason }) => {
      return fact(`Refund ${reference} (${reason}), ${timeText(at)}`, -amount);
    }),
  ];
  return (
    <Section title="Payment">
      <Facts facts={facts} />
    </Section>
  );
}

const canCorrectBilling = ({ fulfillment_status }: Order): boolean =>
  can('fulfillment') && fulfillment_status !== 'CANCELLED';
const canCorrect = (order: Order): boolean =>
  canCorrectBilling(order) && order.line_items.some((line) => leftOf(line) > 0);

/** Whether the billing address has additional or different fields. */
const isBilledElsewhere = ({ billing_address, shipping_address }: Order): boolean =>
  billing_address.name !== '' ||
  billing_address.vat_id !== '' ||
  (Object.keys(shipping_address) as (keyof typeof shipping_address)[]).some(
    (name) => billing_address[name] !== shipping_address[name],
  );

function Contact({ order }: OfOrder) {
  const { name, email, phone, id } = order.customer;
  const lines = addressLines({ ...order.shipping_address, vat_id: '' });
  return (
    <Section
      title="Customer"
      actions={
        <>
          {canCorrect(order) && <CorrectContact order={order} />}
          {canCorrectBilling(order) && <CorrectBilling order={order} />}
        </>
      }
    >
      <p>
        {id ? <a href={to('/customers', { search: email || name })}>{name}</a> : <strong>{name}</strong>}
        <Lines of={[email && [email, ' ', <Copy key="copy" text={email} />], phone]} />
      </p>
      {labelWarnings(order).map((text) => (
        <strong key={text} class="line on-paper" children={text} />
      ))}
      <address>{lines.some(Boolean) ? <Lines of={lines} /> : <span class="soft">No address</span>}</address>
      {isBilledElsewhere(order) && <Lines of={['Billed to', ...addressLines(order.billing_address)]} />}
    </Section>
  );
}

function Fraud({ order }: OfOrder) {
  const { verdict, score, reasons } = order.fraud;
  if (!verdict) return null;
  const badge = <Badge state={verdict.toLowerCase()} tone={verdict === 'ACCEPT' ? 'good' : 'bad'} />;
  const rules = reasons.map((reason) => [ruleText(reason.rule), `${reason.score}`] as const);
  return (
    <Section title="Fraud analysis" actions={badge}>
      <Facts facts={[['Score', `${score}`], ...rules]} />
    </Section>
  );
}

type Shipment = Order['shipments'][number];
const NEXT = { picking: ['shipped', 'void'], shipped: ['delivered', 'void'], delivered: [], void: [] } as const;

function Shipments({ order }: OfOrder) {
  const { id, shipments, line_items } = order;
  const nameOf = (line: number) => line_items.find((each) => each.line === line)?.name;
  if (shipments.length === 0) return null;
  const ask = (reference: string, status: 'shipped' | 'delivered' | 'void') => {
    const params = { path: { id, reference } };
    const send = () => api.PATCH('/v1/orders/{id}/shipments/{reference}', { params, body: { status } });
    if (status === 'void') {
      const words = { title: `Void ${reference}?`, text: 'Its units can ship again.', toast: `${reference} voided.` };
      return <OrderDialog key={status} {...{ order, send }} {...words} submitLabel="Void" tone="danger" />;
    }
    const words = { title: `Mark ${reference} as ${status}?`, toast: `${reference} marked as ${status}.` };
    const text = 'The order history records the time.';
    return (
      <OrderDialog key={status} {...{ order, send, text }} {...words} submitLabel={`Mark as ${status}`} tone="quiet" />
    );
  };
  const row = (shipment: Shipment) => {
    const { reference, status: now, shipped_at, items, carrier, tracking_number } = shipment;
    return {
      key: reference,
      name: <strong>{reference}</strong>,
      detail: joined([...items.map(({ line, quantity }) => `${quantity} × ${nameOf(line)}`), carrier, tracking_number]),
      end: [
        <Badge key="state" state={now} />,
        shipped_at && <Time key="at" at={shipped_at} />,
        can('fulfillment') && now !== 'void' && <EditTracking key="tracking" {...{ order, shipment }} />,
        can('fulfillment') && NEXT[now]?.map((status) => ask(reference, status)),
      ],
    };
  };
  return (
    <Section title="Shipments">
      <Rows rows={shipments.map(row)} />
    </Section>
  );
}

type Stage = Order['pipeline'][number];
type Mail = Stage & Pick<Schemas['RepeatMailRequest'], 'stage'>;
const isMail = (stage: Stage): stage is Mail => stage.stage.startsWith('notify-');

const MAILS: Readonly<Record<string, string>> = { customer: 'Confirmation', merchant: 'Merchant notification' };

const OUTCOMES: Readonly<Record<string, string>> = {
  waiting: 'Not sent yet',
  undeliverable: 'Undeliverable: the recipient address is at fault',
  failed: 'Sending failed',
  not_wanted: 'Not sent: the email is switched off, there is no address, or the order was cancelled first',
};

function mailText({ outcome, last_error: error, attempts, at }: Mail): string {
  const code = /[A-Z]/.test(error) && `code ${error.replace('SMTP_', '')}`;
  const meaning = (error || outcome === 'not_wanted') && OUTCOMES[outcome];
  return joined([meaning, code, error && attempts > 0 && count(attempts, 'attempt'), timeText(at)]);
}

function Mails({ order }: OfOrder) {
  const { id, pipeline, customer } = order;
  const mails = pipeline.filter(isMail);
  const row = (mail: Mail) => {
    const { stage, reference, state } = mail;
    const about = stage.replace('notify-', '');
    const name = `${MAILS[about] ?? capitalize(about)} ${reference}`;
    const text = mailText(mail);
    const isWrong = mail.outcome === 'undeliverable' && about !== 'merchant' && canCorrect(order);
    const canRepeat = can('fulfillment') && ['done', 'dead'].includes(state);
    const recipient = about === 'merchant' ? 'the store' : customer.email || 'the customer';
    const title = `Resend email: ${name}`;
    const words = { title, submitLabel: 'Resend', text: `Recipient: ${recipient}.` };
    const send = () => change(id, 'mails', { stage, reference: reference || null }, 'Email queued.');
    return {
      key: stage + reference,
      name,
      detail: [text, isWrong && ' Correct the address with “Edit contact…”, then resend.'],
      end: [
        <Badge key="state" state={state} />,
        canRepeat && <ConfirmDialog key="again" {...words} tone="quiet" send={send} />,
      ],
    };
  };
  return (
    <Section title="Emails">
      <Rows rows={mails.map(row)} />
      {mails.length === 0 && <p class="soft">No emails.</p>}
    </Section>
  );
}

type OrderEvent = Schemas['OrderEvent'];

const lower = (text: string | null) => text?.toLowerCase().replaceAll('_', ' ') ?? '';

function headline({ event, field, from, to, details: { to: moved } }: OrderEvent): string {
  if (event === 'shipment_changed') return typeof moved === 'string' ? `Shipment ${moved}` : 'Tracking changed';
  if (event !== 'status_changed') return capitalize(lower(event));
  return `${field === 'status' ? 'Payment' : 'Fulfillment'} ${lower(from)} → ${lower(to)}`;
}

const detailOf = ({ event, details: { reason, amount, status } }: OrderEvent, currency: string) =>
  joined([typeof amount === 'number' && money(amount, currency), event.startsWith('shipment') && status, reason]);

const whoOf = ({ name, type }: OrderEvent['actor']) =>
  name || (type === 'pipeline' || type === 'system' ? 'the service' : type);

function Timeline({ order: { id, currency } }: OfOrder) {
  const [pages, setPages] = useState(FIRST_PAGES);
  const query = useHistory(id, pages);
  const send = (body: Values<'text'>) => change(id, 'notes', body);
  const note = (
    <ConfirmDialog title="Add note" submitLabel="Add note" send={send} toast="Note added.">
      <Field label="Note" name="text" hint="Not visible to the customer." required autoFocus maxLength={2000} />
    </ConfirmDialog>
  );
  const left = query.data?.left ?? 0;
  const older = Math.min(left, 100);
  const rows = query.data?.data.toReversed().map((event, key) => ({
    key,
    name: [<strong key="event">{headline(event)}</strong>, ' ', event.reference, event.details.text],
    detail: detailOf(event, currency),
    end: [<small key="who">{whoOf(event.actor)}</small>, <Time key="at" at={event.at} />],
  }));
  return (
    <Section title="Timeline" actions={can('fulfillment') && note}>
      <QueryStatus query={query} rows={4} />
      <Rows rows={rows ?? []} />
      {left > 0 && (
        <Button text={`Show ${older} of ${left} older events`} class="quiet" onClick={() => setPages(pages + 1)} />
      )}
    </Section>
  );
}
