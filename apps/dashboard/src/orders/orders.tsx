import { useEffect, useState } from 'preact/hooks';
import { api, useGet, type OrderQuery } from '../http.js';
import { arrivals, showArrivals } from '../live.js';
import { Choice, Filters, List, PAGE_SIZE } from '../parts/list.js';
import { Page } from '../parts/page.js';
import { count, startOfDay } from '../parts/text.js';
import { to, useRoute, type Route } from '../route.js';
import { can } from '../session.js';
import { useStore } from '../store.js';
import { COLUMNS, INCLUDE, ONLY_MODE, PAYMENTS, QUEUES, STAGES, type Queue } from './columns.js';
import { ReleaseSeveral, ShipSeveral } from './several.js';

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
    ...(stage ? { fulfillment_status: stage } : {}),
    search,
    status,
    source,
    created_from: from && startOfDay(from),
    created_to: until && startOfDay(until, 1),
    include: INCLUDE,
    limit: PAGE_SIZE,
    page: Number(page ?? 1),
  } as OrderQuery;
}

function Count({ queue }: { queue: Queue }) {
  const query = { ...QUEUES[queue].filter, ...ONLY_MODE, limit: 1 };
  const total = useGet(['counts', queue], () => api.GET('/v1/orders', { params: { query } })).data?.pagination.total;
  return <span class="count">{total?.toLocaleString()}</span>;
}

const Queues = ({ route }: { route: Route }) => (
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

/** Orders that came since the list was read: shown when the person asks, so that no row moves under the eye. */
function Arrived() {
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
  mail: 'No mail has failed.',
  all: 'No order matches.',
};

const SOURCES = [['WEBSITE', 'Website'] as const, ['POS', 'Point of sale'] as const];

export function Orders() {
  const route = useRoute();
  const queue = queueOf(route);
  const query = filterOf(route);
  const list = useGet(['orders', query], () => api.GET('/v1/orders', { params: { query } }), { keep: true });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set<string>());
  const address = JSON.stringify(route.query);
  useEffect(() => choose(new Set<string>()), [address]);
  const picked = list.data?.data.filter(({ receipt_number }) => chosen.has(receipt_number)) ?? [];
  return (
    <Page title="Orders">
      <Queues route={route} />
      <Filters
        search="Number, name, e-mail, tracking"
        also={({ search }) => (search && queue === 'ship' ? { queue: 'all' } : {})}
      >
        {queue !== 'ship' && <Choice name="stage" label="Fulfilment" values={STAGES} />}
        <Choice name="status" label="Payment" values={PAYMENTS} />
        <Choice name="source" label="From" values={SOURCES} />
        <label class="tick soft">
          Placed <input type="date" name="from" aria-label="Placed from" defaultValue={route.query.from ?? ''} />
        </label>
        <label class="tick soft">
          to <input type="date" name="until" aria-label="Placed until" defaultValue={route.query.until ?? ''} />
        </label>
      </Filters>
      <Arrived />
      <List
        label="Orders"
        noun="order"
        query={list}
        columns={COLUMNS}
        keyOf={(order) => order.receipt_number}
        empty={EMPTY[queue]}
        all={{ queue: 'all' }}
        {...(can('fulfillment') ? { chosen, choose } : {})}
      >
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
      </List>
    </Page>
  );
}
