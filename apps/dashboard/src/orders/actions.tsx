import type { JSX } from 'preact';
import { api, type Order } from '../http.js';
import { done } from '../parts/announce.js';
import { Ask, Check, Field, textIn } from '../parts/ask.js';
import { count, minorOf, money, plainMoney, stepOf } from '../parts/money.js';
import { leftOf, shipmentNumber, stillOwed } from './stages.js';

interface ActionProps {
  readonly order: Order;
  readonly reason?: string | undefined;
}

type Line = Order['line_items'][number];

interface LineUnitsProps {
  readonly lines: readonly Line[];
  /** The most units of a line. */
  readonly limit: (line: Line) => number;
  /** The units that the field begins with. */
  readonly begin: (line: Line) => number;
}

const unitsField = ({ line }: Line) => `line-${line}`;

/** A number of units for each line. */
function LineUnits({ lines, limit, begin }: LineUnitsProps): JSX.Element {
  return (
    <ul class="several">
      {lines.map((line) => (
        <li key={line.line}>
          <span>
            {line.name}
            <small>{[line.sku, ...Object.values(line.attributes)].filter(Boolean).join(' · ')}</small>
          </span>
          <input
            type="number"
            name={unitsField(line)}
            min={0}
            max={limit(line)}
            defaultValue={begin(line)}
            aria-label={`Units of ${line.name}`}
          />
          <small class="of">of {limit(line)}</small>
        </li>
      ))}
    </ul>
  );
}

/** The lines of which at least one unit was entered. */
const unitsIn = (form: FormData, lines: readonly Line[]) =>
  lines
    .map((line) => ({ line: line.line, quantity: Number(textIn(form, unitsField(line))) }))
    .filter(({ quantity }) => quantity > 0);

export function Ship({ order, reason }: ActionProps): JSX.Element {
  const lines = order.line_items.filter((line) => leftOf(line) > 0);
  return (
    <Ask
      label="Ship…"
      title={`Ship ${order.receipt_number}`}
      verb="Ship"
      tone="primary"
      reason={reason}
      onSubmit={async (form, header) => {
        const body = {
          reference: textIn(form, 'reference'),
          items: unitsIn(form, lines),
          carrier: textIn(form, 'carrier'),
          tracking_number: textIn(form, 'tracking'),
          notify: form.has('notify'),
        };
        await api.POST('/v1/orders/{id}/shipments', { params: { path: order, header: header(body) }, body });
        await done(`${body.reference} is shipped.`);
      }}
    >
      <Field label="Tracking number" name="tracking" autoFocus />
      <div class="pair">
        <Field label="Carrier" name="carrier" defaultValue={order.shipments.at(-1)?.carrier ?? ''} />
        <Field label="Shipment number" name="reference" required defaultValue={shipmentNumber(order)} />
      </div>
      <LineUnits lines={lines} limit={leftOf} begin={leftOf} />
      <Check label="Tell the customer" name="notify" defaultChecked />
    </Ask>
  );
}

function Amount({ label, minor, currency }: { label: string; minor: number; currency: string }): JSX.Element {
  return (
    <Field
      label={`${label} (${currency})`}
      name="amount"
      type="number"
      min={0}
      step={stepOf(currency)}
      required
      defaultValue={plainMoney(minor, currency)}
    />
  );
}

export function Pay({ order }: ActionProps): JSX.Element {
  const { currency } = order;
  const owed = stillOwed(order);
  return (
    <Ask
      label="Payment…"
      title="Record a payment"
      verb="Record"
      reason={owed > 0 ? undefined : 'Nothing is owed.'}
      onSubmit={async (form, header) => {
        const amount = minorOf(textIn(form, 'amount'), currency);
        const body = { reference: textIn(form, 'reference'), amount, currency, partial: amount < owed };
        await api.POST('/v1/orders/{id}/payments', { params: { path: order, header: header(body) }, body });
        await done(`${money(amount, currency)} is recorded.`);
      }}
    >
      <Amount label="Amount" minor={owed} currency={currency} />
      <Field
        label="Payment number"
        name="reference"
        required
        defaultValue={`PAY-${order.payments.length + 1}`}
        hint="From your bank, till or gateway."
      />
    </Ask>
  );
}

export function Refund({ order }: ActionProps): JSX.Element {
  const { currency, refund_due } = order;
  const lines = order.line_items.filter((line) => line.shipped_quantity > line.returned_quantity);
  return (
    <Ask
      label="Refund…"
      title="Record a refund"
      verb="Record refund"
      reason={order.amount_paid > 0 ? undefined : 'Nothing is paid.'}
      onSubmit={async (form, header) => {
        const amount = minorOf(textIn(form, 'amount'), currency);
        const units = unitsIn(form, lines);
        const body = {
          reference: textIn(form, 'reference'),
          amount,
          notify: form.has('notify'),
          ...(units.length > 0 ? { lines: units, restock: form.has('restock') } : {}),
        };
        await api.POST('/v1/orders/{id}/refunds', { params: { path: order, header: header(body) }, body });
        await done(`A refund of ${money(amount, currency)} is recorded.`);
      }}
    >
      <p class="soft">The money itself goes back by your bank or gateway.</p>
      <div class="pair">
        <Amount label="Amount" minor={refund_due > 0 ? refund_due : order.amount_paid} currency={currency} />
        <Field label="Refund number" name="reference" required defaultValue={`REF-${order.refunds.length + 1}`} />
      </div>
      {lines.length > 0 && (
        <>
          <h3>Units that came back</h3>
          <LineUnits lines={lines} limit={(line) => line.shipped_quantity - line.returned_quantity} begin={() => 0} />
          <Check label="Put them back on sale" name="restock" defaultChecked />
        </>
      )}
      <Check label="Tell the customer" name="notify" defaultChecked />
    </Ask>
  );
}

export function Cancel({ order }: ActionProps): JSX.Element {
  const lines = order.line_items.filter((line) => leftOf(line) > 0);
  const left = lines.reduce((sum, line) => sum + leftOf(line), 0);
  // What has shipped stays: then only the rest is given up.
  const isPart = order.shipments.some(({ status }) => status !== 'void');
  return (
    <Ask
      label={isPart ? 'Give up the rest…' : 'Cancel order…'}
      title={isPart ? `Give up ${count(left, 'unit')} of ${order.receipt_number}?` : `Cancel ${order.receipt_number}?`}
      verb={isPart ? 'Give up' : 'Cancel the order'}
      tone="danger"
      onSubmit={async (form, header) => {
        const body = {
          ...(isPart ? { items: lines.map((line) => ({ line: line.line, quantity: leftOf(line) })) } : {}),
          reason: textIn(form, 'reason'),
          restock: form.has('restock'),
          notify: form.has('notify'),
        };
        await api.POST('/v1/orders/{id}/cancel', { params: { path: order, header: header(body) }, body });
        await done(isPart ? `${count(left, 'unit')} given up.` : `${order.receipt_number} is cancelled.`);
      }}
    >
      <p class="soft">
        This cannot be undone.
        {!isPart && order.amount_paid > 0 && ` ${money(order.amount_paid, order.currency)} is then to pay back.`}
      </p>
      <Field label="Reason" name="reason" hint="For the history. The customer does not see it." autoFocus />
      <Check label={`Put ${count(left, 'unit')} back on sale`} name="restock" defaultChecked />
      <Check label="Tell the customer" name="notify" defaultChecked />
    </Ask>
  );
}

export function Release({ order }: ActionProps): JSX.Element {
  return (
    <Ask
      label="Release…"
      title={`Release ${order.receipt_number}?`}
      verb="Release"
      tone="primary"
      onSubmit={async (_form, header) => {
        await api.POST('/v1/orders/{id}/release', { params: { path: order, header: header({}) }, body: {} });
        await done(`${order.receipt_number} is released.`);
      }}
    >
      <p class="soft">The customer gets the confirmation, and the order can ship.</p>
    </Ask>
  );
}

export function Hold({ order }: ActionProps): JSX.Element {
  return (
    <Ask
      label="Hold…"
      title={`Hold ${order.receipt_number}?`}
      verb="Hold"
      onSubmit={async (form, header) => {
        const body = { reason: textIn(form, 'reason') };
        await api.POST('/v1/orders/{id}/hold', { params: { path: order, header: header(body) }, body });
        await done(`${order.receipt_number} is under review.`);
      }}
    >
      <p class="soft">Nothing of it ships until a person releases it.</p>
      <Field label="Reason" name="reason" required autoFocus />
    </Ask>
  );
}
