import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { newKey, textOf, type OrderListItem } from '../http.js';
import { Ask, Check, Field, textIn, type AskProps } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { count } from '../parts/text.js';
import { change } from './change.js';

type Listed = Pick<OrderListItem, 'id' | 'receipt_number' | 'customer_name' | 'held'>;

interface SeveralProps extends Omit<AskProps, 'title' | 'send'> {
  readonly orders: readonly Listed[];
  /** What was done then, as in *2 orders shipped*. */
  readonly done: string;
  readonly act: (id: string, form: FormData) => Promise<unknown>;
  /** A field of each order. */
  readonly field?: (order: Listed) => ComponentChildren;
}

/** Acts on one order after the other. A second click repeats only those that were refused. */
function Several({ orders, verb, done, act, field, children, ...ask }: SeveralProps) {
  /** Why each order was refused; empty for those that were not. */
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const send = async (form: FormData) => {
    const next = { ...answers };
    for (const { id } of orders.filter((order) => answers[order.id] !== '')) {
      next[id] = await act(id, form).then(() => '', textOf);
      setAnswers({ ...next });
    }
    const refused = orders.filter(({ id }) => next[id]).length;
    const text = `${count(orders.length - refused, 'order')} ${done}.`;
    if (refused > 0) throw new Error(`${text} ${count(refused, 'order')} refused.`);
    return text;
  };
  return (
    <Ask {...ask} title={`${verb} ${count(orders.length, 'order')}`} verb={verb} send={send}>
      {children}
      <Rows
        rows={orders.map((order) => ({
          key: order.id,
          name: order.receipt_number,
          detail: order.customer_name,
          end: [field?.(order), answers[order.id] && <small class="bad wide">{answers[order.id]}</small>],
        }))}
      />
    </Ask>
  );
}

export function Ship({ orders }: { orders: readonly Listed[] }) {
  const [reference] = useState(() => `SHIP-${newKey().slice(0, 8).toUpperCase()}`);
  const held = orders.filter((order) => order.held).length;
  const act = (id: string, form: FormData) => {
    const parcel = { reference, carrier: textIn(form, 'carrier'), tracking_number: textIn(form, id) };
    return change(id, 'shipments', { ...parcel, notify: form.has('notify') });
  };
  return (
    <Several
      orders={orders}
      verb="Ship"
      done="shipped"
      tone="primary"
      reason={held > 0 ? `${count(held, 'order')} of them under review: release first.` : undefined}
      text="All that is left of each order, as one shipment."
      act={act}
      field={({ id, receipt_number }) => (
        <input name={id} aria-label={`Tracking number of ${receipt_number}`} placeholder="Tracking" />
      )}
    >
      <Field label="Carrier" name="carrier" autoFocus />
      <Check label="Tell the customers" name="notify" defaultChecked />
    </Several>
  );
}

export const Release = ({ orders }: { orders: readonly Listed[] }) => (
  <Several
    orders={orders}
    verb="Release"
    done="released"
    text="The customer gets the confirmation, and the order can ship."
    act={(id) => change(id, 'release', {})}
  />
);
