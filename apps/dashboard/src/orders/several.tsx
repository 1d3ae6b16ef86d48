import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, newKey, textOf, type OrderListItem } from '../http.js';
import { Ask, Check, Field, textIn } from '../parts/ask.js';
import { Rows } from '../parts/list.js';
import { count } from '../parts/text.js';

interface SeveralProps {
  readonly orders: readonly OrderListItem[];
}

type Extra = (order: OrderListItem) => JSX.Element;

/**
 * Acts on one order after the other. A second click repeats what was refused, and only that.
 * @returns also the rows of the dialog, which show why an order was refused.
 */
function useSeveral(orders: readonly OrderListItem[], done: (n: number) => string) {
  const [refused, setRefused] = useState<Readonly<Record<string, string>>>({});
  const [finished] = useState(() => new Set<string>());
  const run = async (act: (order: OrderListItem) => Promise<unknown>) => {
    const failures: Record<string, string> = {};
    for (const order of orders.filter(({ id }) => !finished.has(id))) {
      try {
        await act(order);
        finished.add(order.id);
      } catch (error) {
        failures[order.id] = textOf(error);
      }
      setRefused({ ...failures });
    }
    const n = Object.keys(failures).length;
    if (n > 0) throw new Error(`${done(finished.size)} ${count(n, 'order')} refused.`);
    return done(finished.size);
  };
  const rows = (extra?: Extra) =>
    orders.map((order) => ({
      key: order.id,
      name: order.receipt_number,
      detail: order.customer_name,
      end: (
        <>
          {extra?.(order)}
          {refused[order.id] && <small class="bad wide">{refused[order.id]}</small>}
        </>
      ),
    }));
  return { run, rows };
}

export function ShipSeveral({ orders }: SeveralProps) {
  const { run, rows } = useSeveral(orders, (n) => `${count(n, 'order')} shipped.`);
  const [reference] = useState(() => `SHIP-${newKey().slice(0, 8).toUpperCase()}`);
  const held = orders.filter((order) => order.held).length;
  const send = (form: FormData) =>
    run(({ id }) => {
      const tracking_number = textIn(form, id);
      const body = { reference, carrier: textIn(form, 'carrier'), tracking_number, notify: form.has('notify') };
      return api.POST('/v1/orders/{id}/shipments', { params: { path: { id } }, body });
    });
  return (
    <Ask
      title={`Ship ${count(orders.length, 'order')}`}
      verb={`Ship ${orders.length}`}
      tone="primary"
      reason={held > 0 ? `${count(held, 'order')} of them under review: release first.` : undefined}
      text="All that is left of each order, as one shipment."
      send={send}
    >
      <Field label="Carrier" name="carrier" autoFocus />
      <Rows
        rows={rows(({ id, receipt_number }) => (
          <input name={id} aria-label={`Tracking number of ${receipt_number}`} placeholder="Tracking" />
        ))}
      />
      <Check label="Tell the customers" name="notify" defaultChecked />
    </Ask>
  );
}

export function ReleaseSeveral({ orders }: SeveralProps) {
  const held = orders.filter((order) => order.held);
  const { run, rows } = useSeveral(held, (n) => `${count(n, 'order')} released.`);
  if (held.length === 0) return null;
  return (
    <Ask
      title={`Release ${count(held.length, 'order')}`}
      verb={`Release ${held.length}`}
      text="Each customer gets the confirmation, and the orders can ship."
      send={() => run(({ id }) => api.POST('/v1/orders/{id}/release', { params: { path: { id } }, body: {} }))}
    >
      <Rows rows={rows()} />
    </Ask>
  );
}
