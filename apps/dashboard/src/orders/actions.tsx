import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { paths } from '@store-commerce/client';
import { api, textOf, useGet, type Order, type OrderListItem } from '../http.js';
import { money, readAmount, readUnits } from '../parts/amount.js';
import {
  Amount,
  ConfirmDialog,
  Check,
  Choices,
  Field,
  Outcome,
  UnitsInput,
  type ConfirmDialogProps,
  type Values,
} from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { Note } from '../parts/page.js';
import { count, isolateBidi, joined, sum } from '../parts/text.js';
import { describe, leftOf, type Line, type OfOrder } from './columns.js';

type Change = 'cancel' | 'hold' | 'lines' | 'mails' | 'notes' | 'payments' | 'refunds' | 'release' | 'shipments';
type Post<C extends Change> = paths[`/v1/orders/{id}/${C}`]['post'];
export type Body<C extends Change> = NonNullable<Post<C>['requestBody']>['content']['application/json'];

/** Names the line of the order instead of its place in the body, such as `lines[0].quantity`. */
function numberLines(error: unknown, body: object): never {
  const placed = (text: string, list: string, index: string, field?: string) => {
    const line = (body as Record<string, { line?: number }[] | undefined>)[list]?.[Number(index)]?.line;
    return line === undefined ? text : `line ${line}: ${field ?? ''}`;
  };
  const { message } = error as Error;
  throw Object.assign(error as Error, { message: message.replace(/\b(\w+)\[(\d+)\]\.?(\w+)?/g, placed) });
}

/** Changes an order. @returns the text to announce. */
export async function change<C extends Change>(id: string, what: C, body: Body<C>, toast = ''): Promise<string> {
  const request = { params: { path: { id } }, body: body as Body<'notes'> };
  await api.POST(`/v1/orders/{id}/${what as 'notes'}`, request).catch((error: unknown) => numberLines(error, body));
  return toast;
}

/** Says a refusal as the page shows the order: with the names of its lines, and with amounts in major units. */
function inWordsOf({ line_items, currency }: Order, text: string): string {
  const nameOf = (line: string) => line_items.find((each) => each.line === Number(line))?.name;
  const named = text.replace(/\bline (\d+)/gi, (all, line: string) => isolateBidi(nameOf(line) ?? all));
  const isMinor = named.endsWith(' (in minor units)');
  return isMinor
    ? named.slice(0, -17).replace(/\b(\d+)( [A-Z]{3})?\b/g, (_, minor) => money(Number(minor), currency))
    : named;
}

const rethrow = (order: Order) => (error: unknown) => {
  throw Object.assign(error as Error, { message: inWordsOf(order, textOf(error)) });
};

/** What another person may change while a dialog is open. */
const stateOf = (order: Order): Readonly<Record<string, string>> => ({
  payment: order.status.toLowerCase(),
  fulfillment: order.held ? 'under review' : order.fulfillment_status.toLowerCase(),
  'units to ship': String(sum(order.line_items.map(leftOf))),
  shipments: order.shipments.map(({ reference, status }) => `${reference} ${status}`).join(', ') || 'none',
  total: money(order.total_amount, order.currency),
  outstanding: money(order.amount_open, order.currency),
  'refund due': money(order.refund_due, order.currency),
  customer: joined([order.customer.name, order.customer.email, order.customer.phone]),
  address: joined(Object.values(order.shipping_address)),
});

function Changed({ order }: OfOrder) {
  const now = useGet('/v1/orders/{id}', { path: { id: order.receipt_number } }).data?.data ?? order;
  const [before] = useState(() => stateOf(order));
  const changed = Object.entries(stateOf(now)).filter(([name, text]) => text !== before[name]);
  if (changed.length === 0) return null;
  const texts = changed.map(([name, text]) => `${name}: ${before[name] || 'none'} → ${text || 'none'}`);
  return <Note tone="wait">{`The order has changed. ${texts.join('; ')}.`}</Note>;
}

/** A dialog that says what has changed in the order since it opened. */
export function OrderDialog({ order, send, children, ...ask }: ConfirmDialogProps & OfOrder) {
  const act = (values: Values, form: FormData) => Promise.resolve(send(values, form)).catch(rethrow(order));
  return (
    <ConfirmDialog {...ask} send={act}>
      <Changed order={order} />
      {children}
    </ConfirmDialog>
  );
}

/** The order as the change would leave it. */
export async function preview<C extends 'cancel' | 'lines' | 'refunds'>(
  order: Order,
  what: C,
  body: Body<C>,
): Promise<Order> {
  const params = { path: { id: order.id }, query: { preview: true as const } };
  const { data } = await api
    .POST(`/v1/orders/{id}/${what as 'lines'}`, { params, body })
    .catch((error: unknown) => numberLines(error, body))
    .catch(rethrow(order));
  if (!data) throw new Error('The service did not answer.');
  return data.data;
}

/** Says which amount of an order will be outstanding, or due as a refund. */
export function moneyLeft({ amount_open: open, refund_due: due, currency }: Order): string {
  if (due > 0) return `A refund of ${money(due, currency)} will be due.`;
  return open > 0 ? `${money(open, currency)} will be outstanding.` : 'Nothing will be outstanding.';
}

const unitsOf = (order: Order, most: (line: Line) => number): Line[] =>
  order.line_items.map((line) => ({ ...line, quantity: most(line) })).filter(({ quantity }) => quantity > 0);

/** @param all whether the fields start with all units. */
function LineUnits({ lines, all = false }: { lines: readonly Line[]; all?: boolean }) {
  const rows = lines.map(({ line, name, quantity, ...unit }) => {
    const field = { name: `line-${line}`, most: quantity, defaultValue: all ? quantity : 0 };
    const input = <UnitsInput key="units" {...field} aria-label={`Units of ${name}`} />;
    return { key: line, name, detail: describe(unit), end: [input, <small key="most">of {quantity}</small>] };
  });
  return <Rows rows={rows} />;
}

const unitsIn = (values: Values, lines: readonly Line[]) =>
  lines
    .map(({ line }) => ({ line, quantity: readUnits(values[`line-${line}`] || '0') }))
    .filter(({ quantity }) => quantity > 0);

const NotifyCheckbox = ({ whom = 'customer' }) => <Check label={`Notify the ${whom}`} name="notify" defaultChecked />;

export function ShipUnits({ order }: OfOrder) {
  const lines = unitsOf(order, leftOf);
  const send = (values: Values<'reference' | 'carrier' | 'tracking_number' | 'notify'>) => {
    const { reference, carrier, tracking_number, notify } = values;
    const body = { reference, carrier, tracking_number, items: unitsIn(values, lines), notify: !!notify };
    return change(order.id, 'shipments', body, `${reference} shipped.`);
  };
  const reason = order.held ? 'The order is under review. Release it first.' : undefined;
  return (
    <OrderDialog
      order={order}
      title={`Ship ${order.receipt_number}`}
      submitLabel="Ship"
      tone="primary"
      reason={reason}
      send={send}
    >
      <Field label="Tracking number" name="tracking_number" autoFocus />
      <div class="pair">
        <Field label="Carrier" name="carrier" defaultValue={order.shipments.at(-1)?.carrier ?? ''} />
        <Field label="Shipment number" name="reference" required defaultValue={`SHIP-${order.shipments.length + 1}`} />
      </div>
      <LineUnits lines={lines} all />
      <NotifyCheckbox />
    </OrderDialog>
  );
}

export function Pay({ order }: OfOrder) {
  const { currency, payments, amount_open: open } = order;
  const send = ({ reference, ...values }: Values<'reference' | 'amount'>) => {
    const amount = readAmount(values.amount, currency);
    const body = { reference, amount, currency, partial: amount < open };
    return change(order.id, 'payments', body, `Payment of ${money(amount, currency)} recorded.`);
  };
  const text = 'Enter the payment number of your bank, till or gateway.';
  const reason = open > 0 ? undefined : 'Nothing is outstanding.';
  return (
    <OrderDialog
      order={order}
      title="Record payment"
      text={text}
      submitLabel="Record payment"
      reason={reason}
      send={send}
    >
      <Amount minor={open} currency={currency} least={1} />
      <Field label="Payment number" name="reference" required defaultValue={`PAY-${payments.length + 1}`} />
    </OrderDialog>
  );
}

/** Takes back a payment that was recorded by mistake. The history keeps both records. */
export function Reverse({ order, payment }: OfOrder & Readonly<{ payment: Order['payments'][number] }>) {
  const { amount, written_off } = payment;
  const reference = `REV-${payment.reference}`.slice(0, 64);
  const isOver = order.refunds.some((refund) => refund.reference === reference) || written_off !== 0;
  if (isOver || amount === 0 || amount > order.amount_paid - order.amount_refunded) return null;
  const send = () =>
    change(order.id, 'refunds', { reference, amount, reason: 'chargeback', notify: false }, 'Payment reversed.');
  const text =
    'For a payment that was recorded by mistake. Its amount is outstanding again. The customer receives no email.';
  const title = `Reverse payment ${payment.reference}?`;
  return <OrderDialog {...{ order, title, text, send }} submitLabel="Reverse" tone="danger" />;
}

export function EditTracking({ order, shipment }: OfOrder & Readonly<{ shipment: Order['shipments'][number] }>) {
  const { reference, carrier, tracking_number } = shipment;
  const send = (values: Values) => {
    const body = changes(values, { carrier, tracking_number });
    return api.PATCH('/v1/orders/{id}/shipments/{reference}', { params: { path: { id: order.id, reference } }, body });
  };
  const words = { label: 'Edit tracking…', title: `Edit the tracking of ${reference}`, toast: 'Tracking saved.' };
  return (
    <OrderDialog order={order} {...words} submitLabel="Save" tone="quiet" send={send}>
      <Field label="Tracking number" name="tracking_number" defaultValue={tracking_number} autoFocus />
      <Field label="Carrier" name="carrier" defaultValue={carrier} />
    </OrderDialog>
  );
}

const REASONS = {
  goods: 'Returned or unshipped units',
  shipping: 'Shipping cost',
  goodwill: 'Discount after the sale',
  repayment: 'Overpaid amount',
  chargeback: 'Reversed by the bank: the amount is outstanding again',
};

export function Refund({ order }: OfOrder) {
  const { currency, refund_due, refunds, amount_paid, amount_refunded } = order;
  const left = amount_paid - amount_refunded;
  const lines = unitsOf(order, (line) => line.shipped_quantity - line.returned_quantity);
  const bodyOf = ({ reference = '', amount = '', reason: why, notify, restock, ...values }: Values) => {
    const units = unitsIn(values, lines);
    const back = units.length > 0 ? { lines: units, restock: !!restock } : {};
    const reason = why as keyof typeof REASONS;
    return { reference, amount: readAmount(amount, currency), reason, notify: !!notify, ...back };
  };
  const send = (values: Values) => {
    const body = bodyOf(values);
    return change(order.id, 'refunds', body, `Refund of ${money(body.amount, currency)} recorded.`);
  };
  const begin = refund_due > 0 ? refund_due : left;
  const [proposed, propose] = useState<number>();
  const followed = useRef('""');
  const reset = () => {
    propose(undefined);
    followed.current = '""';
  };
  const outcome = async (values: Values) => {
    const body = bodyOf(values);
    const units = JSON.stringify(body.lines ?? '');
    if (body.reason === 'goods' && units !== followed.current) {
      followed.current = units;
      const due = body.lines && (await preview(order, 'refunds', { ...body, amount: 0 })).refund_due;
      propose(due === undefined ? undefined : Math.min(due, left));
      return '';
    }
    const after = await preview(order, 'refunds', body);
    const credited = after.amount_credited - order.amount_credited;
    return `This credits ${money(credited, currency)}. ${moneyLeft(after)}`;
  };
  const reason = left > 0 ? undefined : 'Nothing to refund.';
  return (
    <OrderDialog {...{ order, reason, send }} title="Record refund" submitLabel="Record refund" onOpen={reset}>
      <p class="soft">This only records the refund. Send the money through your bank or gateway.</p>
      <div class="pair">
        <Amount key={proposed} minor={proposed ?? begin} currency={currency} />
        <Field label="Refund number" name="reference" required defaultValue={`REF-${refunds.length + 1}`} />
      </div>
      <Choices
        label="Reason"
        name="reason"
        begin={refund_due > 0 ? 'repayment' : lines.length > 0 ? 'goods' : 'goodwill'}
        of={REASONS}
      />
      {lines.length > 0 && (
        <>
          <h3>Returned units</h3>
          <LineUnits lines={lines} />
          <Check label="Restock them" name="restock" defaultChecked />
        </>
      )}
      <NotifyCheckbox />
      <Outcome of={outcome} />
    </OrderDialog>
  );
}

export function Cancel({ order }: OfOrder) {
  const { receipt_number, currency } = order;
  const items = unitsOf(order, leftOf).map(({ line, quantity }) => ({ line, quantity }));
  const units = count(sum(items.map(({ quantity }) => quantity)), 'unit');
  // Shipped units stay, so only the rest is cancelled.
  const isPart = order.shipments.some(({ status }) => status !== 'void');
  const bodyOf = ({ reason, restock, notify, fee }: Values) => {
    const what = isPart ? { items } : { fee: fee ? readAmount(fee, currency) : 0 };
    return { ...what, reason, restock: !!restock, notify: !!notify };
  };
  const send = (values: Values) =>
    change(order.id, 'cancel', bodyOf(values), isPart ? `${units} cancelled.` : `${receipt_number} cancelled.`);
  const outcome = async (values: Values) => moneyLeft(await preview(order, 'cancel', bodyOf(values)));
  const title = isPart ? `Cancel ${units} of ${receipt_number}?` : `Cancel ${receipt_number}?`;
  const words = isPart
    ? { label: 'Cancel remaining units…', submitLabel: 'Cancel units', keep: 'Keep units' }
    : { label: 'Cancel order…', submitLabel: 'Cancel order', keep: 'Keep order' };
  return (
    <OrderDialog order={order} title={title} {...words} tone="danger" send={send}>
      <p class="soft">This cannot be undone.</p>
      <Field label="Reason" name="reason" hint="Recorded in the history. Not visible to the customer." />
      {!isPart && <Amount label="Cancellation fee" name="fee" currency={currency} />}
      <Check label={`Restock ${units}`} name="restock" defaultChecked />
      <NotifyCheckbox />
      <Outcome of={outcome} />
    </OrderDialog>
  );
}

export function Hold({ order }: OfOrder) {
  const { id, receipt_number } = order;
  const words = { title: `Hold ${receipt_number}?`, text: 'The order does not ship until a person releases it.' };
  const send = (body: Values<'reason'>) => change(id, 'hold', body, `${receipt_number} is under review.`);
  return (
    <OrderDialog order={order} {...words} submitLabel="Hold" send={send}>
      <Field label="Reason" name="reason" required autoFocus />
    </OrderDialog>
  );
}

export const PERSON = { name: 'Name', email: 'Email', phone: 'Phone', company: 'Company' };
export const PLACE = {
  address: 'Street',
  address2: 'Address line 2',
  zip: 'Postal code',
  city: 'City',
  region: 'Region',
};

/** Sends null for a text that was cleared. */
function changes(values: Values, before: Texts) {
  const changed = Object.keys(before).filter((name) => name in values && values[name] !== (before[name] ?? ''));
  return Object.fromEntries(changed.map((name) => [name, values[name] || null]));
}

export function CorrectContact({ order }: OfOrder) {
  const { customer, shipping_address } = order;
  const before: Texts = { ...customer, ...shipping_address };
  const send = (values: Values) => {
    const body = { customer: changes(values, customer), shipping_address: changes(values, shipping_address) };
    return api.PATCH('/v1/orders/{id}', { params: { path: order }, body });
  };
  const words = { title: 'Edit contact and shipping address', submitLabel: 'Save', toast: 'Contact saved.' };
  return (
    <OrderDialog order={order} label="Edit contact…" {...words} tone="quiet" send={send}>
      <Fields of={{ ...PERSON, ...PLACE, country: 'Country' }} before={before} />
    </OrderDialog>
  );
}

export function CorrectBilling({ order }: OfOrder) {
  const { billing_address } = order;
  const send = (values: Values) => {
    const body = { billing_address: changes(values, billing_address) };
    return api.PATCH('/v1/orders/{id}', { params: { path: order }, body });
  };
  const words = { title: 'Edit billing address', submitLabel: 'Save', toast: 'Billing address saved.' };
  return (
    <OrderDialog order={order} label="Edit billing…" {...words} tone="quiet" send={send}>
      <Fields
        of={{ name: 'Name', company: 'Company', vat_id: 'VAT ID', ...PLACE, country: 'Country' }}
        before={billing_address}
      />
    </OrderDialog>
  );
}

export type Texts = Readonly<Record<string, string | null>>;

export const Fields = ({ of, before }: { of: Readonly<Record<string, string>>; before: Texts }) => (
  <div class="pair">
    {Object.entries(of).map(([name, label]) => {
      const type = name === 'email' ? 'email' : 'text';
      return <Field key={name} label={label} name={name} type={type} defaultValue={before[name] ?? ''} />;
    })}
  </div>
);

type Listed = Pick<OrderListItem, 'id' | 'receipt_number' | 'customer_name' | 'held' | 'amount_open' | 'currency'>;

interface BulkDialogProps extends Omit<ConfirmDialogProps, 'title' | 'send'> {
  readonly title?: string;
  readonly orders: readonly Listed[];
  readonly done: string;
  act(this: void, id: string, values: Values): Promise<unknown>;
  /** Shows a field for each order. */
  readonly field?: (order: Listed) => ComponentChildren;
  /** Receives the orders that were accepted. */
  readonly onDone?: ((orders: readonly Listed[]) => void) | undefined;
}

/** Acts on one order after the other. A second click repeats only the refused ones. */
function BulkDialog({ orders, submitLabel, done, act, field, onDone, children, ...ask }: BulkDialogProps) {
  /** Why each order was refused; `''` for an accepted order. */
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const send = async (values: Values) => {
    const next: Record<string, string> = {};
    for (const { id } of orders) {
      next[id] = await act(id, values).then(() => '', textOf);
      setAnswers({ ...next });
    }
    const refused = orders.filter(({ id }) => next[id]).length;
    const text = `${count(orders.length - refused, 'order')} ${done}.`;
    onDone?.(orders.filter(({ id }) => !next[id]));
    if (refused > 0) throw new Error(`${text} ${count(refused, 'order')} refused.`);
    return text;
  };
  const rows = orders.map((order) => {
    const { id: key, receipt_number: name, customer_name: detail } = order;
    const answer = answers[key];
    const result = answer === '' ? <small>{done}</small> : answer && <small class="bad wide">{answer}</small>;
    return { key, name, detail, end: [field?.(order), result] };
  });
  return (
    <ConfirmDialog
      title={`${submitLabel} ${count(orders.length, 'order')}`}
      {...ask}
      submitLabel={submitLabel}
      send={send}
    >
      {children}
      <Rows rows={rows} />
    </ConfirmDialog>
  );
}

type BulkProps = Pick<BulkDialogProps, 'orders' | 'onDone'>;

export function Ship({ orders, onDone }: BulkProps) {
  const [reference] = useState(() => `SHIP-${crypto.randomUUID().slice(0, 8).toUpperCase()}`);
  const held = orders.filter((order) => order.held).length;
  const act = (id: string, { carrier, notify, [id]: tracking_number }: Values) =>
    change(id, 'shipments', { reference, carrier, tracking_number, notify: !!notify });
  const text = 'Ships the remaining units of each order as one shipment.';
  const reason =
    held > 0
      ? `${count(held, 'selected order')} under review. Release ${held === 1 ? 'it' : 'them'} first.`
      : undefined;
  const field = ({ id, receipt_number }: Listed) => (
    <input name={id} aria-label={`Tracking number of ${receipt_number}`} placeholder="Tracking" />
  );
  return (
    <BulkDialog {...{ orders, onDone, reason, text, act, field }} submitLabel="Ship" done="shipped" tone="primary">
      <Field label="Carrier" name="carrier" autoFocus />
      <NotifyCheckbox whom="customers" />
    </BulkDialog>
  );
}

const release = (id: string) => change(id, 'release', {});

export const Release = (props: BulkProps & Pick<BulkDialogProps, 'text'>) => (
  <BulkDialog {...props} submitLabel="Release" done="released" tone="primary" act={release} />
);

export const HoldOrders = (props: BulkProps) => (
  <BulkDialog
    {...props}
    submitLabel="Hold"
    done="held"
    text="The orders do not ship until a person releases them."
    act={(id, { reason = '' }) => change(id, 'hold', { reason })}
  >
    <Field label="Reason" name="reason" required autoFocus />
  </BulkDialog>
);

/** Records what is open of each order, as the list shows it. */
export function PayOrders(props: BulkProps) {
  const [begin] = useState(() => `PAY-${crypto.randomUUID().slice(0, 8).toUpperCase()}`);
  const act = async (id: string, { reference = '' }: Values) => {
    const { amount_open: amount = 0, currency = '' } = props.orders.find((order) => order.id === id) ?? {};
    if (amount === 0) throw new Error('Nothing is outstanding.');
    return change(id, 'payments', { reference, amount, currency });
  };
  const field = ({ amount_open = 0, currency }: Listed) => <span class="n">{money(amount_open, currency)}</span>;
  const title = `Mark ${count(props.orders.length, 'order')} as paid`;
  const text = 'Records the outstanding amount of each order as paid.';
  return (
    <BulkDialog {...props} {...{ title, text, act, field }} submitLabel="Mark as paid" done="marked as paid">
      <Field label="Payment number" name="reference" required autoFocus defaultValue={begin} />
    </BulkDialog>
  );
}
