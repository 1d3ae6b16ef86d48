import { api, type Order } from '../http.js';
import { Amount, Ask, Check, Field, textIn } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { count, minorOf, money } from '../parts/text.js';
import { describe, isHeld, leftOf, stillOwed, type Line } from './columns.js';

interface ActionProps {
  readonly order: Order;
}

interface LineUnitsProps {
  readonly lines: readonly Line[];
  readonly limit: (line: Line) => number;
  readonly begin: (line: Line) => number;
}

const unitsField = ({ line }: Line) => `line-${line}`;

function LineUnits({ lines, limit, begin }: LineUnitsProps) {
  const field = (line: Line) => (
    <>
      <input
        type="number"
        name={unitsField(line)}
        min={0}
        max={limit(line)}
        defaultValue={begin(line)}
        aria-label={`Units of ${line.name}`}
      />
      <small>of {limit(line)}</small>
    </>
  );
  return (
    <Rows rows={lines.map((line) => ({ key: line.line, name: line.name, detail: describe(line), end: field(line) }))} />
  );
}

/** The lines of which at least one unit was entered. */
const unitsIn = (form: FormData, lines: readonly Line[]) =>
  lines
    .map((line) => ({ line: line.line, quantity: Number(textIn(form, unitsField(line))) }))
    .filter(({ quantity }) => quantity > 0);

const Tell = () => <Check label="Tell the customer" name="notify" defaultChecked />;

export function Ship({ order }: ActionProps) {
  const reason = isHeld(order) ? 'It is under review: release it first.' : undefined;
  const lines = order.line_items.filter((line) => leftOf(line) > 0);
  const send = async (form: FormData) => {
    const body = {
      reference: textIn(form, 'reference'),
      items: unitsIn(form, lines),
      carrier: textIn(form, 'carrier'),
      tracking_number: textIn(form, 'tracking'),
      notify: form.has('notify'),
    };
    await api.POST('/v1/orders/{id}/shipments', { params: { path: order }, body });
    return `${body.reference} is shipped.`;
  };
  return (
    <Ask title={`Ship ${order.receipt_number}`} verb="Ship" tone="primary" reason={reason} send={send}>
      <Field label="Tracking number" name="tracking" autoFocus />
      <div class="pair">
        <Field label="Carrier" name="carrier" defaultValue={order.shipments.at(-1)?.carrier ?? ''} />
        <Reference label="Shipment number" begin={`SHIP-${order.shipments.length + 1}`} />
      </div>
      <LineUnits lines={lines} limit={leftOf} begin={leftOf} />
      <Tell />
    </Ask>
  );
}

/** A number that the order does not have yet. */
const Reference = ({ label, begin, hint }: { label: string; begin: string; hint?: string }) => (
  <Field label={label} name="reference" required defaultValue={begin} hint={hint} />
);

export function Pay({ order }: ActionProps) {
  const { currency } = order;
  const owed = stillOwed(order);
  const send = async (form: FormData) => {
    const amount = minorOf(textIn(form, 'amount'), currency);
    const body = { reference: textIn(form, 'reference'), amount, currency, partial: amount < owed };
    await api.POST('/v1/orders/{id}/payments', { params: { path: order }, body });
    return `${money(amount, currency)} is recorded.`;
  };
  const reason = owed > 0 ? undefined : 'Nothing is owed.';
  return (
    <Ask label="Payment…" title="Record a payment" verb="Record" reason={reason} send={send}>
      <Amount minor={owed} currency={currency} />
      <Reference
        label="Payment number"
        begin={`PAY-${order.payments.length + 1}`}
        hint="From your bank, till or gateway."
      />
    </Ask>
  );
}

export function Refund({ order }: ActionProps) {
  const { currency, refund_due } = order;
  const lines = order.line_items.filter((line) => line.shipped_quantity > line.returned_quantity);
  const send = async (form: FormData) => {
    const amount = minorOf(textIn(form, 'amount'), currency);
    const units = unitsIn(form, lines);
    const body = {
      reference: textIn(form, 'reference'),
      amount,
      notify: form.has('notify'),
      ...(units.length > 0 ? { lines: units, restock: form.has('restock') } : {}),
    };
    await api.POST('/v1/orders/{id}/refunds', { params: { path: order }, body });
    return `A refund of ${money(amount, currency)} is recorded.`;
  };
  return (
    <Ask
      label="Refund…"
      title="Record a refund"
      verb="Record refund"
      reason={order.amount_paid > 0 ? undefined : 'Nothing is paid.'}
      text="The money itself goes back by your bank or gateway."
      send={send}
    >
      <div class="pair">
        <Amount minor={refund_due > 0 ? refund_due : order.amount_paid} currency={currency} />
        <Reference label="Refund number" begin={`REF-${order.refunds.length + 1}`} />
      </div>
      {lines.length > 0 && (
        <>
          <h3>Units that came back</h3>
          <LineUnits lines={lines} limit={(line) => line.shipped_quantity - line.returned_quantity} begin={() => 0} />
          <Check label="Put them back on sale" name="restock" defaultChecked />
        </>
      )}
      <Tell />
    </Ask>
  );
}

export function Cancel({ order }: ActionProps) {
  const { receipt_number, amount_paid, currency } = order;
  const lines = order.line_items.filter((line) => leftOf(line) > 0);
  const left = lines.reduce((sum, line) => sum + leftOf(line), 0);
  const units = count(left, 'unit');
  // What has shipped stays: then only the rest is given up.
  const isPart = order.shipments.some(({ status }) => status !== 'void');
  const send = async (form: FormData) => {
    const body = {
      items: isPart ? lines.map((line) => ({ line: line.line, quantity: leftOf(line) })) : undefined,
      reason: textIn(form, 'reason'),
      restock: form.has('restock'),
      notify: form.has('notify'),
    };
    await api.POST('/v1/orders/{id}/cancel', { params: { path: order }, body });
    return isPart ? `${units} given up.` : `${receipt_number} is cancelled.`;
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

export const Release = ({ order }: ActionProps) => (
  <Ask
    title={`Release ${order.receipt_number}?`}
    verb="Release"
    tone="primary"
    text="The customer gets the confirmation, and the order can ship."
    send={() => api.POST('/v1/orders/{id}/release', { params: { path: order }, body: {} })}
    said={`${order.receipt_number} is released.`}
  />
);

export const Hold = ({ order }: ActionProps) => (
  <Ask
    title={`Hold ${order.receipt_number}?`}
    verb="Hold"
    text="Nothing of it ships until a person releases it."
    send={(form) => {
      const body = { reason: textIn(form, 'reason') };
      return api.POST('/v1/orders/{id}/hold', { params: { path: order }, body });
    }}
    said={`${order.receipt_number} is under review.`}
  >
    <Field label="Reason" name="reason" required autoFocus />
  </Ask>
);

const CUSTOMER = { name: 'Name', email: 'E-mail', phone: 'Phone' } as const;
const ADDRESS = {
  company: 'Company',
  address: 'Street',
  address2: 'Second line',
  zip: 'Postal code',
  city: 'City',
  region: 'Region',
  country: 'Country',
} as const;

/** What was changed, field by field: a text that was cleared is null. */
function changes(form: FormData, names: readonly string[], before: Readonly<Record<string, string | null>>) {
  const changed = names.filter((name) => textIn(form, name) !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, textIn(form, name) || null]));
}

export function CorrectContact({ order }: ActionProps) {
  const before: Readonly<Record<string, string | null>> = { ...order.customer, ...order.shipping_address };
  const send = (form: FormData) => {
    const customer = changes(form, Object.keys(CUSTOMER), before);
    const shipping_address = changes(form, Object.keys(ADDRESS), before);
    return api.PATCH('/v1/orders/{id}', { params: { path: order }, body: { customer, shipping_address } });
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
        {Object.entries({ ...CUSTOMER, ...ADDRESS }).map(([name, label]) => (
          <Field
            key={name}
            label={label}
            name={name}
            type={name === 'email' ? 'email' : 'text'}
            defaultValue={before[name] ?? ''}
          />
        ))}
      </div>
    </Ask>
  );
}
