import { useEffect, useRef, useState } from 'preact/hooks';
import { get, useGet, useRead, type OrderListItem, type OrderQuery } from '../http.js';
import { arrivals, showArrivals } from '../live.js';
import { startOfDay } from '../parts/day.js';
import { Choice, Day, Filters, List, pageOf } from '../parts/list.js';
import { Button, LinkButton, Page } from '../parts/page.js';
import { count, timeZone } from '../parts/text.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { useStore } from '../store.js';
import { HoldOrders, PayOrders, Release, Ship } from './actions.js';
import { COLUMNS, INCLUDE, ONLY_MODE } from './columns.js';
import { Print, useDocuments } from './documents.js';

const STAGES = [
  ['PENDING,CONFIRMED', 'To ship'],
  ['PROCESSING'],
  ['SHIPPED'],
  ['DELIVERED'],
  ['CANCELLED'],
  ['RETURNED'],
];
const PAYMENTS = [['PENDING', 'Unpaid'], ['SUCCEEDED', 'Paid'], ['FAILED'], ['REFUNDED'], ['CANCELLED']];
const SOURCES = [['WEBSITE'], ['POS', 'Point of sale']];

const QUEUES = {
  ship: { name: 'To ship', filter: { fulfillment_status: ['PENDING', 'CONFIRMED', 'PROCESSING'], held: false } },
  review: { name: 'Under review', filter: { held: true } },
  open: { name: 'Awaiting payment', filter: { open: true } },
  overdue: { name: 'Overdue', filter: { overdue: true } },
  refund: { name: 'Refund due', filter: { refund_due: true } },
  mail: { name: 'Failed emails', filter: { mail_failed: true } },
  all: { name: 'All', filter: {} },
} satisfies Readonly<Record<string, { name: string; filter: OrderQuery }>>;
type Queue = keyof typeof QUEUES;

/** A search covers more than the orders to ship. */
function queueOf({ query: { queue = 'ship', search } }: Route): Queue {
  if (search && queue === 'ship') return 'all';
  return queue in QUEUES ? (queue as Queue) : 'ship';
}

function filterOf(route: Route): OrderQuery {
  const { queue, from, until, ...filter } = route.query;
  return {
    ...QUEUES[queueOf(route)].filter,
    ...filter,
    ...ONLY_MODE,
    created_from: startOfDay(from, timeZone()),
    created_to: startOfDay(until, timeZone(), 1),
    include: INCLUDE,
    ...pageOf(route.query),
  };
}

/** Shows how many orders a queue has. */
export function Count({ queue }: { queue: Queue }) {
  const query = { ...QUEUES[queue].filter, ...ONLY_MODE, limit: 1 };
  const total = useRead(['counts', queue], () => get('/v1/orders', { query })).data?.pagination.total;
  return <>{total?.toLocaleString()}</>;
}

const Queues = ({ now }: { now: Queue }) => (
  <nav class="views" aria-label="Work queues">
    {(Object.keys(QUEUES) as Queue[]).map((queue) => (
      <a key={queue} href={to('/orders', { queue })} aria-current={queue === now ? 'page' : undefined}>
        {QUEUES[queue].name} <Count queue={queue} />
      </a>
    ))}
  </nav>
);

function Arrived() {
  const n = useStore(arrivals).length;
  const text = `Show ${count(n, 'new order')}`;
  return n === 0 ? null : <Button text={text} class="arrived wide" data-tone="info" onClick={showArrivals} />;
}

/** The list does not know which confirmations were sent. */
const RELEASES = 'The orders can ship. Held confirmation emails are sent now.';
const NONE: ReadonlySet<string> = new Set();

export function Orders() {
  const route = useRoute();
  const queue = queueOf(route);
  const query = filterOf(route);
  const list = useGet('/v1/orders', { query });
  const [chosen, choose] = useState(NONE);
  const { page: _, ...filter } = route.query;
  const address = to(route.path, filter);
  useEffect(() => choose(NONE), [address]);
  // Orders that were chosen on another page stay chosen.
  const known = useRef(new Map<string, OrderListItem>()).current;
  for (const order of list.data?.data ?? []) known.set(order.receipt_number, order);
  const picked = [...chosen].flatMap((name) => known.get(name) ?? []);
  const held = picked.filter((order) => order.held);
  const open = picked.filter(({ amount_open }) => amount_open);
  const { documents, printDocuments } = useDocuments(chosen);
  const onDone = (done: readonly Pick<OrderListItem, 'receipt_number'>[]) => {
    const names = done.map(({ receipt_number }) => receipt_number);
    choose((now) => new Set([...now].filter((name) => !names.includes(name))));
  };
  return (
    <Page
      title="Orders"
      actions={can('orders') && <LinkButton text="New order" class="primary" href={to('/orders/new')} />}
    >
      <Queues now={queue} />
      <Filters search="Number, name, company, email, tracking, payment" table={{ path: '/v1/orders', query }}>
        {queue !== 'ship' && <Choice name="fulfillment_status" label="Fulfillment" values={STAGES} />}
        <Choice name="status" label="Payment" values={PAYMENTS} />
        <Choice name="source" label="Source" values={SOURCES} />
        <Day label="Placed" name="from" of="Placed" />
        <Day label="to" name="until" of="Placed" />
      </Filters>
      {!route.query.search && <Arrived />}
      <List
        label="Orders"
        noun="order"
        query={list}
        columns={COLUMNS}
        keyOf={(order) => order.receipt_number}
        empty="No orders."
        first="No orders yet. New orders appear here."
        all={{ queue: 'all' }}
        {...(can('fulfillment') ? { chosen, choose } : {})}
      >
        {picked.length > 0 && (
          <div class="chosen" role="group" aria-label="Selected orders">
            <span>{picked.length} selected</span>
            <Ship {...{ orders: picked, onDone }} />
            {held.length > 0 && <Release {...{ orders: held, onDone }} text={RELEASES} />}
            {held.length < picked.length && (
              <HoldOrders {...{ orders: picked.filter((order) => !order.held), onDone }} />
            )}
            {can('payments') && open.length > 0 && <PayOrders {...{ orders: open, onDone }} />}
            <Print print={(kind) => printDocuments(kind, picked)} />
            <Button text="Clear selection" class="quiet" onClick={() => choose(NONE)} />
          </div>
        )}
      </List>
      {documents}
    </Page>
  );
}
