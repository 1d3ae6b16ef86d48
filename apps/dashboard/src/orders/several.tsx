import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api, newKey, refresh, Refused, textOf, type OrderListItem } from '../http.js';
import { announce } from '../parts/announce.js';
import { Ask, Check, Field, textIn } from '../parts/ask.js';
import { count } from '../parts/money.js';

interface SeveralProps {
  readonly orders: readonly OrderListItem[];
}

interface RowsProps extends SeveralProps {
  /** Why an order was refused, by its id. */
  readonly results: Results;
  readonly field?: (order: OrderListItem) => JSX.Element;
}

type Results = Readonly<Record<string, string>>;

function Rows({ orders, results, field }: RowsProps): JSX.Element {
  return (
    <ul class="rows tight">
      {orders.map((order) => (
        <li key={order.id}>
          <span class="grow">
            {order.receipt_number}
            <small>{order.customer_name}</small>
          </span>
          {field?.(order)}
          {results[order.id] && <small class="bad wide">{results[order.id]}</small>}
        </li>
      ))}
    </ul>
  );
}

/**
 * Acts on one order after the other, and keeps the key of each: a second click repeats what was refused, and only that.
 * @throws Error with the number of refusals, so that the dialog stays.
 */
function useSeveral(orders: readonly OrderListItem[], done: (n: number) => string) {
  const [results, setResults] = useState<Results>({});
  const [keys] = useState(() => new Map<string, string>());
  const [finished] = useState(() => new Set<string>());
  const run = async (act: (order: OrderListItem, key: string) => Promise<unknown>) => {
    const refused: Record<string, string> = {};
    for (const order of orders.filter(({ id }) => !finished.has(id))) {
      const key = keys.get(order.id) ?? newKey();
      keys.set(order.id, key);
      try {
        await act(order, key);
        finished.add(order.id);
      } catch (error) {
        refused[order.id] = textOf(error);
        // Its answer is final, so that another try is another request.
        if (error instanceof Refused && error.status < 500) keys.delete(order.id);
      }
      setResults({ ...refused });
    }
    await refresh();
    const n = Object.keys(refused).length;
    if (n > 0) throw new Error(`${done(finished.size)} ${count(n, 'order')} refused.`);
    announce(done(finished.size));
  };
  return { results, run };
}

export function ShipSeveral({ orders }: SeveralProps): JSX.Element {
  const { results, run } = useSeveral(orders, (n) => `${count(n, 'order')} shipped.`);
  const held = orders.filter(({ held }) => held).length;
  return (
    <Ask
      label={`Ship ${orders.length}…`}
      title={`Ship ${count(orders.length, 'order')}`}
      verb={`Ship ${orders.length}`}
      tone="primary"
      reason={held > 0 ? `${count(held, 'order')} of them under review: release first.` : undefined}
      onSubmit={(form) =>
        run((order, key) =>
          api.POST('/v1/orders/{id}/shipments', {
            params: { path: { id: order.id }, header: { 'Idempotency-Key': key } },
            body: {
              reference: `SHIP-${key.slice(0, 8).toUpperCase()}`,
              carrier: textIn(form, 'carrier'),
              tracking_number: textIn(form, order.id),
              notify: form.has('notify'),
            },
          }),
        )
      }
    >
      <p class="soft">All that is left of each order, as one shipment.</p>
      <Field label="Carrier" name="carrier" autoFocus />
      <Rows
        orders={orders}
        results={results}
        field={({ id, receipt_number }) => (
          <input name={id} aria-label={`Tracking number of ${receipt_number}`} placeholder="Tracking" />
        )}
      />
      <Check label="Tell the customers" name="notify" defaultChecked />
    </Ask>
  );
}

export function ReleaseSeveral({ orders }: SeveralProps): JSX.Element | null {
  const held = orders.filter((order) => order.held);
  const { results, run } = useSeveral(held, (n) => `${count(n, 'order')} released.`);
  if (held.length === 0) return null;
  return (
    <Ask
      label={`Release ${held.length}…`}
      title={`Release ${count(held.length, 'order')}`}
      verb={`Release ${held.length}`}
      onSubmit={() =>
        run((order, key) =>
          api.POST('/v1/orders/{id}/release', {
            params: { path: { id: order.id }, header: { 'Idempotency-Key': key } },
            body: {},
          }),
        )
      }
    >
      <p class="soft">Each customer gets the confirmation, and the orders can ship.</p>
      <Rows orders={held} results={results} />
    </Ask>
  );
}
