import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { api, useGet, type OrderQuery } from '../http.js';
import { arrivals, showArrivals } from '../live.js';
import { count } from '../parts/money.js';
import { Page, Waiting } from '../parts/page.js';
import { useStore } from '../store.js';
import { Choice, Filters, PAGE_SIZE, Pages, Table } from '../parts/table.js';
import { startOfDay } from '../parts/time.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { COLUMNS } from './columns.js';
import { ReleaseSeveral, ShipSeveral } from './several.js';
import { INCLUDE, ONLY_MODE, PAYMENTS, QUEUES, STAGES, type Queue } from './stages.js';

const queueOf = ({ query }: Route): Queue => {
  const name = query.queue ?? 'ship';
  return name in QUEUES ? (name as Queue) : 'ship';
};

/** The address of a page of the list as the filter of the API. */
function filterOf(route: Route): OrderQuery {
  const { search, status, stage, source, from, until, page } = route.query;
  return {
    ...QUEUES[queueOf(route)].filter,
    ...ONLY_MODE,
    ...(search ? { search } : {}),
    ...(status ? { status } : {}),
    ...(stage ? { fulfillment_status: stage } : {}),
    ...(source ? { source } : {}),
    ...(from ? { created_from: startOfDay(from) } : {}),
    ...(until ? { created_to: startOfDay(until, 1) } : {}),
    include: INCLUDE,
    limit: PAGE_SIZE,
    page: Number(page ?? 1),
  } as OrderQuery;
}

function Count({ queue }: { queue: Queue }): JSX.Element {
  const query = { ...QUEUES[queue].filter, ...ONLY_MODE, limit: 1 };
  const total = useGet(['counts', queue], () => api.GET('/v1/orders', { params: { query } })).data?.pagination.total;
  return <span class="count">{total?.toLocaleString()}</span>;
}

function Queues({ route }: { route: Route }): JSX.Element {
  return (
    <nav class="views" aria-label="Work queues">
      {(Object.keys(QUEUES) as Queue[]).map((queue) => (
        <a
          key={queue}
          href={to('/orders', { queue: queue === 'ship' ? undefined : queue })}
          aria-current={queueOf(route) === queue ? 'page' : undefined}
        >
          {QUEUES[queue].name} <Count queue={queue} />
        </a>
      ))}
    </nav>
  );
}

/** Orders that came since the list was read: shown when the person asks, so that no row moves under the eye. */
function Arrived(): JSX.Element | null {
  const n = useStore(arrivals).length;
  return n === 0 ? null : (
    <button type="button" class="arrived wide" data-tone="info" onClick={showArrivals}>
      {count(n, 'new order')} – show
    </button>
  );
}

const EMPTY: Readonly<Record<Queue, string>> = {
  ship: 'Nothing is to ship.',
  review: 'No order is under review.',
  refund: 'Nothing is to pay back.',
  all: 'No order matches.',
};

const word = (value: string) => value.charAt(0) + value.slice(1).toLowerCase();
const words = (values: readonly string[]) => values.map((value) => [value, word(value)] as const);

export function Orders(): JSX.Element {
  const route = useRoute();
  const queue = queueOf(route);
  const filter = filterOf(route);
  const list = useGet(['orders', filter], () => api.GET('/v1/orders', { params: { query: filter } }), {
    keep: true,
  });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set<string>());
  const address = JSON.stringify(route.query);
  useEffect(() => choose(new Set<string>()), [address]);
  const rows = list.data?.data ?? [];
  const picked = rows.filter(({ receipt_number }) => chosen.has(receipt_number));
  const selectable = can('fulfillment') ? { chosen, choose } : {};
  return (
    <Page title="Orders">
      <Queues route={route} />
      <Filters
        route={route}
        search="Number, name, e-mail, tracking"
        also={({ search }) => (search && queue === 'ship' ? { queue: 'all' } : {})}
      >
        {queue !== 'ship' && <Choice route={route} name="stage" label="Fulfilment" values={words(STAGES)} />}
        <Choice route={route} name="status" label="Payment" values={words(PAYMENTS)} />
        <Choice
          route={route}
          name="source"
          label="From"
          values={[
            ['WEBSITE', 'Website'],
            ['POS', 'Point of sale'],
          ]}
        />
        <label class="tick soft">
          Placed <input type="date" name="from" aria-label="Placed from" defaultValue={route.query.from ?? ''} />
        </label>
        <label class="tick soft">
          to <input type="date" name="until" aria-label="Placed until" defaultValue={route.query.until ?? ''} />
        </label>
      </Filters>
      <Arrived />
      <Waiting query={list} rows={12} />
      {list.data && rows.length === 0 && (
        <p class="empty">
          {EMPTY[queue]}{' '}
          {address !== '{"queue":"all"}' && <a href={to('/orders', { queue: 'all' })}>Show all orders</a>}
        </p>
      )}
      {rows.length > 0 && (
        <div data-stale={list.isPlaceholderData}>
          <Table label="Orders" rows={rows} columns={COLUMNS} keyOf={(order) => order.receipt_number} {...selectable} />
        </div>
      )}
      <div class="bar">
        {picked.length > 0 && (
          <div class="chosen" role="group" aria-label="Chosen orders">
            <span>{picked.length} chosen</span>
            <ShipSeveral orders={picked} />
            <ReleaseSeveral orders={picked} />
            <button type="button" class="quiet" onClick={() => choose(new Set<string>())}>
              Clear
            </button>
          </div>
        )}
        {list.data && rows.length > 0 && <Pages route={route} total={list.data.pagination.total} noun="order" />}
      </div>
    </Page>
  );
}
