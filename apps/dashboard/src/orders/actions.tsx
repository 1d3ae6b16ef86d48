import { api, type Order } from '../http.js';
import { Amount, Ask, Check, Field, textIn } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { count, minorOf, money } from '../parts/text.js';
import { change } from './change.js';
import { describe, isHeld, leftOf, stillOwed, type Line } from './columns.js';

interface ActionProps {
  readonly order: Order;
}

/** Lines, each with the units that can be entered. */
type Units = readonly (Line & { readonly most: number })[];

const unitsOf = (order: Order, most: (line: Line) => number): Units =>
  order.line_items.map((line) => ({ ...line, most: most(line) })).filter((line) => line.most > 0);

/** @param all whether the fields begin with all units. */
function LineUnits({ lines, all = false }: { lines: Units; all?: boolean }) {
  const rows = lines.map(({ line, name, most, ...unit }) => {
    const field = { name: `line-${line}`, min: 0, max: most, defaultValue: all ? most : 0 };
    const input = <input key="units" type="number" {...field} aria-label={`Units of ${name}`} />;
    return { key: line, name, detail: describe(unit), end: [input, <small key="most">of {most}</small>] };
  });
  return <Rows rows={rows} />;
}

/** The lines of which at least one unit was entered. */
const unitsIn = (form: FormData, lines: Units) =>
  lines
    .map(({ line }) => ({ line, quantity: Number(textIn(form, `line-${line}`)) }))
    .filter(({ quantity }) => quantity > 0);

const Tell = () => <Check label="Tell the customer" name="notify" defaultChecked />;

export function ShipUnits({ order }: ActionProps) {
  const lines = unitsOf(order, leftOf);
  const send = (form: FormData) => {
    const reference = textIn(form, 'reference');
    const parcel = { reference, carrier: textIn(form, 'carrier'), tracking_number: textIn(form, 'tracking') };
    const body = { ...parcel, items: unitsIn(form, lines), notify: form.has('notify') };
    return change(order.id, 'shipments', body, `${reference} is shipped.`);
  };
  return (
    <Ask
      title={`Ship ${order.receipt_number}`}
      verb="Ship"
      tone="primary"
      reason={isHeld(order) ? 'It is under review: release it first.' : undefined}
      send={send}
    >
      <Field label="Tracking number" name="tracking" autoFocus />
      <div class="pair">
        <Field label="Carrier" name="carrier" defaultValue={order.shipments.at(-1)?.carrier ?? ''} />
        <Field label="Shipment number" name="reference" required defaultValue={`SHIP-${order.shipments.length + 1}`} />
      </div>
      <LineUnits lines={lines} all />
      <Tell />
    </Ask>
  );
}

export function Pay({ order }: ActionProps) {
  const { currency, payments } = order;
  const owed = stillOwed(order);
  const send = (form: FormData) => {
    const amount = minorOf(textIn(form, 'amount'), currency);
    const body = { reference: textIn(form, 'reference'), amount, currency, partial: amount < owed };
    return change(order.id, 'payments', body, `${money(amount, currency)} is recorded.`);
  };
  return (
    <Ask
      label="Payment…"
      title="Record a payment"
      verb="Record"
      reason={owed > 0 ? undefined : 'Nothing is owed.'}
      text="The number is that of your bank, till or gateway."
      send={send}
    >
      <Amount minor={owed} currency={currency} />
      <Field label="Payment number" name="reference" required defaultValue={`PAY-${payments.length + 1}`} />
    </Ask>
  );
}

export function Refund({ order }: ActionProps) {
  const { currency, refund_due, refunds, amount_paid } = order;
  const lines = unitsOf(order, (line) => line.shipped_quantity - line.returned_quantity);
  const send = (form: FormData) => {
    const amount = minorOf(textIn(form, 'amount'), currency);
    const units = unitsIn(form, lines);
    const back = units.length > 0 ? { lines: units, restock: form.has('restock') } : {};
    const body = { reference: textIn(form, 'reference'), amount, notify: form.has('notify'), ...back };
    return change(order.id, 'refunds', body, `A refund of ${money(amount, currency)} is recorded.`);
  };
  return (
    <Ask
      label="Refund…"
      title="Record a refund"
      verb="Record refund"
      reason={amount_paid > 0 ? undefined : 'Nothing is paid.'}
      text="The money itself goes back by your bank or gateway."
      send={send}
    >
      <div class="pair">
        <Amount minor={refund_due > 0 ? refund_due : amount_paid} currency={currency} />
        <Field label="Refund number" name="reference" required defaultValue={`REF-${refunds.length + 1}`} />
      </div>
      {lines.length > 0 && (
        <>
          <h3>Units that came back</h3>
          <LineUnits lines={lines} />
          <Check label="Put them back on sale" name="restock" defaultChecked />
        </>
      )}
      <Tell />
    </Ask>
  );
}

export function Cancel({ order }: ActionProps) {
  const { receipt_number, amount_paid, currency } = order;
  const lines = unitsOf(order, leftOf);
  const items = lines.map(({ line, most }) => ({ line, quantity: most }));
  const left = lines.reduce((sum, { most }) => sum + most, 0);
  const units = count(left, 'unit');
  // What has shipped stays: then only the rest is given up.
  const isPart = order.shipments.some(({ status }) => status !== 'void');
  const send = (form: FormData) => {
    const choices = { restock: form.has('restock'), notify: form.has('notify') };
    const body = { ...(isPart ? { items } : {}), reason: textIn(form, 'reason'), ...choices };
    return change(order.id, 'cancel', body, isPart ? `${units} given up.` : `${receipt_number} is cancelled.`);
  };
  const back = !isPart && amount_paid > 0 && ` ${money(amount_paid, currency)} is then to pay back.`;
  return (
    <Ask
      label={isPart ? 'Give up the rest…' : 'Cancel order…'}
      title={isPart ? `Give up ${units} of ${receipt_number}?` : `Cancel ${receipt_number}?`}
      verb={isPart ? 'Give up' : 'Cancel the order'}
      tone="danger"
      text={['This cannot be undone.', back]}
      send={send}
    >
      <Field label="Reason" name="reason" hint="For the history. The customer does not see it." autoFocus />
      <Check label={`Put ${units} back on sale`} name="restock" defaultChecked />
      <Tell />
    </Ask>
  );
}

export const Hold = ({ order }: ActionProps) => (
  <Ask
    title={`Hold ${order.receipt_number}?`}
    verb="Hold"
    text="Nothing of it ships until a person releases it."
    send={(form) => change(order.id, 'hold', { reason: textIn(form, 'reason') })}
    said={`${order.receipt_number} is under review.`}
  >
    <Field label="Reason" name="reason" required autoFocus />
  </Ask>
);

const PERSON = { name: 'Name', email: 'E-mail', phone: 'Phone' };
const STREET = { company: 'Company', address: 'Street', address2: 'Second line' };
const TOWN = { zip: 'Postal code', city: 'City', region: 'Region', country: 'Country' };

/** What of a record was changed in the form: a text that was cleared is null. */
const changes = (form: FormData, before: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(
    Object.entries(before)
      .filter(([name, text]) => form.has(name) && textIn(form, name) !== (text ?? ''))
      .map(([name]) => [name, textIn(form, name) || null]),
  );

export function CorrectContact({ order }: ActionProps) {
  const { customer, shipping_address } = order;
  const before: Readonly<Record<string, string | null>> = { ...customer, ...shipping_address };
  const send = (form: FormData) => {
    const body = { customer: changes(form, customer), shipping_address: changes(form, shipping_address) };
    return api.PATCH('/v1/orders/{id}', { params: { path: order }, body });
  };
  return (
    <Ask
      label="Correct…"
      title="Correct the contact and the address"
      verb="Save"
      tone="quiet"
      send={send}
      said="The contact is corrected."
    >
      <div class="pair">
        {Object.entries({ ...PERSON, ...STREET, ...TOWN }).map(([name, label]) => {
          const type = name === 'email' ? 'email' : 'text';
          return <Field key={name} label={label} name={name} type={type} defaultValue={before[name] ?? ''} />;
        })}
      </div>
    </Ask>
  );
}
