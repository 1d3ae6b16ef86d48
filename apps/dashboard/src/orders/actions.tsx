import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { paths } from '@store-commerce/client';
import { api, textOf, type Order, type OrderListItem } from '../http.js';
import { money, plainMoney, readAmount, readUnits } from '../parts/amount.js';
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
import { count, sum } from '../parts/text.js';
import { describe, leftOf, type Line, type OfOrder } from './columns.js';

type Change = 'cancel' | 'hold' | 'lines' | 'mails' | 'notes' | 'payments' | 'refunds' | 'release' | 'shipments';
type Post<C extends Change> = paths[`/v1/orders/{id}/${C}`]['post'];
type Body<C extends Change> = NonNullable<Post<C>['requestBody']>['content']['application/json'];

/** Changes an order. @returns what to say then. */
export async function change<C extends Change>(id: string, what: C, body: Body<C>, toast = ''): Promise<string> {
  await api.POST(`/v1/orders/{id}/${what as 'notes'}`, { params: { path: { id } }, body: body as Body<'notes'> });
  return toast;
}

/** The order as the change would leave it. */
async function preview<C extends 'cancel' | 'lines' | 'refunds'>(id: string, what: C, body: Body<C>): Promise<Order> {
  const params = { path: { id }, query: { preview: true as const } };
  const { data } = await api.POST(`/v1/orders/{id}/${what as 'lines'}`, { params, body });
  if (!data) throw new Error('The service did not answer.');
  return data.data;
}

/** What is left to do about the money of an order. */
function moneyLeft({ amount_open: open, refund_due: due, currency }: Order): string {
  if (due > 0) return `${money(due, currency)} is then to pay back.`;
  return open > 0 ? `${money(open, currency)} is then open.` : 'Nothing is then open.';
}

const unitsOf = (order: Order, most: (line: Line) => number): Line[] =>
  order.line_items.map((line) => ({ ...line, quantity: most(line) })).filter(({ quantity }) => quantity > 0);

/** @param all whether the fields begin with all units. */
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

const NotifyCheckbox = ({ whom = 'customer' }) => (
  <Check label={`NotifyCheckbox the ${whom}`} name="notify" defaultChecked />
);

export function ShipUnits({ order }: OfOrder) {
  const lines = unitsOf(order, leftOf);
  const send = (values: Values<'reference' | 'carrier' | 'tracking_number' | 'notify'>) => {
    const { reference, carrier, tracking_number, notify } = values;
    const body = { reference, carrier, tracking_number, items: unitsIn(values, lines), notify: !!notify };
    return change(order.id, 'shipments', body, `${reference} is shipped.`);
  };
  const reason = order.held ? 'It is under review: release it first.' : undefined;
  return (
    <ConfirmDialog title={`Ship ${order.receipt_number}`} submitLabel="Ship" tone="primary" reason={reason} send={send}>
      <Field label="Tracking number" name="tracking_number" autoFocus />
      <div class="pair">
        <Field label="Carrier" name="carrier" defaultValue={order.shipments.at(-1)?.carrier ?? ''} />
        <Field label="Shipment number" name="reference" required defaultValue={`SHIP-${order.shipments.length + 1}`} />
      </div>
      <LineUnits lines={lines} all />
      <NotifyCheckbox />
    </ConfirmDialog>
  );
}

export function Pay({ order }: OfOrder) {
  const { currency, payments, amount_open: open } = order;
  const send = ({ reference, ...values }: Values<'reference' | 'amount'>) => {
    const amount = readAmount(values.amount, currency);
    const body = { reference, amount, currency, partial: amount < open };
    return change(order.id, 'payments', body, `${money(amount, currency)} is recorded.`);
  };
  const text = 'The number is that of your bank, till or gateway.';
  const reason = open > 0 ? undefined : 'Nothing is open.';
  return (
    <ConfirmDialog
      label="Payment…"
      title="Record a payment"
      text={text}
      submitLabel="Record"
      reason={reason}
      send={send}
    >
      <Amount minor={open} currency={currency} />
      <Field label="Payment number" name="reference" required defaultValue={`PAY-${payments.length + 1}`} />
    </ConfirmDialog>
  );
}

const REASONS = {
  goods: 'Units that came back, or that do not ship',
  shipping: 'The cost of shipping',
  goodwill: 'A rebate afterwards',
  repayment: 'What was paid too much',
  chargeback: 'The bank took it back: the order is to be paid again',
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
    return change(order.id, 'refunds', body, `A refund of ${money(body.amount, currency)} is recorded.`);
  };
  const outcome = async (values: Values) => {
    const after = await preview(order.id, 'refunds', bodyOf(values));
    const credited = after.amount_credited - order.amount_credited;
    return `${money(credited, currency)} of the order is credited. ${moneyLeft(after)}`;
  };
  const reason = left > 0 ? undefined : 'Nothing is left to refund.';
  return (
    <ConfirmDialog label="Refund…" title="Record a refund" submitLabel="Record refund" reason={reason} send={send}>
      <p class="soft">The money itself goes back by your bank or gateway.</p>
      <div class="pair">
        <Amount minor={refund_due > 0 ? refund_due : left} currency={currency} />
        <Field label="Refund number" name="reference" required defaultValue={`REF-${refunds.length + 1}`} />
      </div>
      <Choices
        label="What for"
        name="reason"
        begin={refund_due > 0 ? 'repayment' : lines.length > 0 ? 'goods' : 'goodwill'}
        of={REASONS}
      />
      {lines.length > 0 && (
        <>
          <h3>Units that came back</h3>
          <LineUnits lines={lines} />
          <Check label="Put them back on sale" name="restock" defaultChecked />
        </>
      )}
      <NotifyCheckbox />
      <Outcome of={outcome} />
    </ConfirmDialog>
  );
}

export function Cancel({ order }: OfOrder) {
  const { receipt_number, currency } = order;
  const items = unitsOf(order, leftOf).map(({ line, quantity }) => ({ line, quantity }));
  const units = count(sum(items.map(({ quantity }) => quantity)), 'unit');
  // What has shipped stays: then only the rest is given up.
  const isPart = order.shipments.some(({ status }) => status !== 'void');
  const bodyOf = ({ reason, restock, notify, fee }: Values) => {
    const what = isPart ? { items } : { fee: fee ? readAmount(fee, currency) : 0 };
    return { ...what, reason, restock: !!restock, notify: !!notify };
  };
  const send = (values: Values) =>
    change(order.id, 'cancel', bodyOf(values), isPart ? `${units} given up.` : `${receipt_number} is cancelled.`);
  const outcome = async (values: Values) => moneyLeft(await preview(order.id, 'cancel', bodyOf(values)));
  const title = isPart ? `Give up ${units} of ${receipt_number}?` : `Cancel ${receipt_number}?`;
  const words = isPart
    ? { label: 'Give up the rest…', submitLabel: 'Give up', keep: 'Keep them' }
    : { label: 'Cancel order…', submitLabel: 'Cancel the order', keep: 'Keep the order' };
  return (
    <ConfirmDialog title={title} {...words} tone="danger" send={send}>
      <p class="soft">This cannot be undone.</p>
      <Field label="Reason" name="reason" hint="For the history. The customer does not see it." />
      {!isPart && <Amount label="Fee that stays owed" name="fee" currency={currency} />}
      <Check label={`Put ${units} back on sale`} name="restock" defaultChecked />
      <NotifyCheckbox />
      <Outcome of={outcome} />
    </ConfirmDialog>
  );
}

export function Hold({ order: { id, receipt_number } }: OfOrder) {
  const words = { title: `Hold ${receipt_number}?`, text: 'Nothing of it ships until a person releases it.' };
  const send = (body: Values<'reason'>) => change(id, 'hold', body, `${receipt_number} is under review.`);
  return (
    <ConfirmDialog {...words} submitLabel="Hold" send={send}>
      <Field label="Reason" name="reason" required autoFocus />
    </ConfirmDialog>
  );
}

const MAX_UNITS = 999;

/** Nothing changes until the person has seen what the order then costs. */
export function ChangeLines({ order }: OfOrder) {
  const { currency, line_items: lines } = order;
  const seen = useRef({ body: '', total: 0 });
  const bodyOf = ({ sku = '', units = '', ...values }: Values) => {
    const set = lines
      .map(({ line }) => ({ line, quantity: readUnits(values[`line-${line}`] ?? '') }))
      .filter(({ quantity }, index) => quantity !== lines[index]?.quantity);
    return { ...(set.length > 0 && { set }), ...(sku && { add: [{ sku, quantity: readUnits(units) }] }) };
  };
  const outcome = async (values: Values) => {
    const body = bodyOf(values);
    if (!body.set && !body.add) return '';
    const after = await preview(order.id, 'lines', body);
    seen.current = { body: JSON.stringify(body), total: after.total_amount };
    const costs = `The order then costs ${money(after.total_amount, currency)}, not ${money(order.total_amount, currency)}.`;
    return `${costs} ${moneyLeft(after)}`;
  };
  const send = async (values: Values) => {
    const body = bodyOf(values);
    if (JSON.stringify(body) !== seen.current.body) throw new Error((await outcome(values)) || 'No units are changed.');
    const expected_total = Number(plainMoney(seen.current.total, currency));
    return change(order.id, 'lines', { ...body, expected_total }, `${order.receipt_number} is changed.`);
  };
  const rows = lines.map(({ line: key, name, quantity, ...unit }) => {
    const field = { name: `line-${key}`, most: MAX_UNITS, defaultValue: quantity };
    return {
      key,
      name,
      detail: describe(unit),
      end: <UnitsInput {...field} aria-label={`Units of ${name}`} required />,
    };
  });
  const title = `Change the lines of ${order.receipt_number}`;
  return (
    <ConfirmDialog label="Change…" {...{ title, send }} submitLabel="Change" tone="quiet">
      <Rows rows={rows} />
      <div class="pair">
        <Field label="SKU to add" name="sku" />
        <Field label="Units of it" name="units" defaultValue="1" inputMode="numeric" />
      </div>
      <Outcome of={outcome} />
    </ConfirmDialog>
  );
}

const PERSON = { name: 'Name', email: 'E-mail', phone: 'Phone', company: 'Company' };
const PLACE = { address: 'Street', address2: 'Second line', zip: 'Postal code', city: 'City', region: 'Region' };

/** A text that was cleared is null. */
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
  const words = {
    title: 'Correct the contact and the address',
    submitLabel: 'Save',
    toast: 'The contact is corrected.',
  };
  return (
    <ConfirmDialog label="Correct…" {...words} tone="quiet" send={send}>
      <Fields of={{ ...PERSON, ...PLACE, country: 'Country' }} before={before} />
    </ConfirmDialog>
  );
}

export function CorrectBilling({ order }: OfOrder) {
  const { billing_address } = order;
  const send = (values: Values) => {
    const body = { billing_address: changes(values, billing_address) };
    return api.PATCH('/v1/orders/{id}', { params: { path: order }, body });
  };
  const words = { title: 'Correct who is billed', submitLabel: 'Save', toast: 'The billing address is corrected.' };
  return (
    <ConfirmDialog label="Billing…" {...words} tone="quiet" send={send}>
      <Fields
        of={{ name: 'Name', company: 'Company', vat_id: 'VAT id', ...PLACE, country: 'Country' }}
        before={billing_address}
      />
    </ConfirmDialog>
  );
}

type Texts = Readonly<Record<string, string | null>>;

const Fields = ({ of, before }: { of: Readonly<Record<string, string>>; before: Texts }) => (
  <div class="pair">
    {Object.entries(of).map(([name, label]) => {
      const type = name === 'email' ? 'email' : 'text';
      return <Field key={name} label={label} name={name} type={type} defaultValue={before[name] ?? ''} />;
    })}
  </div>
);

type Listed = Pick<OrderListItem, 'id' | 'receipt_number' | 'customer_name' | 'held'>;

interface BulkDialogProps extends Omit<ConfirmDialogProps, 'title' | 'send'> {
  readonly orders: readonly Listed[];
  readonly done: string;
  act(this: void, id: string, values: Values): Promise<unknown>;
  /** Shows a field for each order. */
  readonly field?: (order: Listed) => ComponentChildren;
}

/** Acts on one order after the other. A second click repeats only those that were refused. */
function BulkDialog({ orders, submitLabel, done, act, field, children, ...ask }: BulkDialogProps) {
  /** Why each order was refused; empty for those that were not. */
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const send = async (values: Values) => {
    const next = { ...answers };
    for (const { id } of orders.filter((order) => answers[order.id] !== '')) {
      next[id] = await act(id, values).then(() => '', textOf);
      setAnswers({ ...next });
    }
    const refused = orders.filter(({ id }) => next[id]).length;
    const text = `${count(orders.length - refused, 'order')} ${done}.`;
    if (refused > 0) throw new Error(`${text} ${count(refused, 'order')} refused.`);
    return text;
  };
  const rows = orders.map((order) => {
    const { id: key, receipt_number: name, customer_name: detail } = order;
    const refused = answers[key] && <small class="bad wide">{answers[key]}</small>;
    return { key, name, detail, end: [field?.(order), refused] };
  });
  return (
    <ConfirmDialog
      {...ask}
      title={`${submitLabel} ${count(orders.length, 'order')}`}
      submitLabel={submitLabel}
      send={send}
    >
      {children}
      <Rows rows={rows} />
    </ConfirmDialog>
  );
}

export function Ship({ orders }: { orders: readonly Listed[] }) {
  const [reference] = useState(() => `SHIP-${crypto.randomUUID().slice(0, 8).toUpperCase()}`);
  const held = orders.filter((order) => order.held).length;
  const act = (id: string, { carrier, notify, [id]: tracking_number }: Values) =>
    change(id, 'shipments', { reference, carrier, tracking_number, notify: !!notify });
  const text = 'All that is left of each order, as one shipment.';
  const reason = held > 0 ? `${count(held, 'order')} of them under review: release first.` : undefined;
  const field = ({ id, receipt_number }: Listed) => (
    <input name={id} aria-label={`Tracking number of ${receipt_number}`} placeholder="Tracking" />
  );
  return (
    <BulkDialog {...{ orders, reason, text, act, field }} submitLabel="Ship" done="shipped" tone="primary">
      <Field label="Carrier" name="carrier" autoFocus />
      <NotifyCheckbox whom="customers" />
    </BulkDialog>
  );
}

const release = (id: string) => change(id, 'release', {});

export const Release = (props: Pick<BulkDialogProps, 'orders' | 'text'>) => (
  <BulkDialog {...props} submitLabel="Release" done="released" tone="primary" act={release} />
);
