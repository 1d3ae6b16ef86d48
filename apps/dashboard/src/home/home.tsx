import { useState } from 'preact/hooks';
import { api, mode, useGet, type Schemas } from '../http.js';
import { COLUMNS } from '../orders/columns.js';
import { Bars } from '../parts/bars.js';
import { List } from '../parts/list.js';
import { Page, Section, Waiting } from '../parts/page.js';
import { count, money } from '../parts/text.js';
import { to } from '../route.js';
import { can, currency } from '../session.js';

type OrderSums = Schemas['OrderSums'];

/** What waits for a person, the most urgent first. Without those that the role does not open. */
function needsOf(all: Schemas['Attention']) {
  const orders = (queue: string) => to('/orders', { queue });
  const hooks = to('/developers/webhooks');
  const needs = [
    { n: all.held, text: 'under review', href: orders('review'), verb: 'Review', isUrgent: true },
    { n: all.refund_due, text: 'to pay back', href: orders('refund'), verb: 'Pay back', isUrgent: true },
    { n: all.waiting_over_2_days, text: 'waiting for more than 2 days', href: to('/orders'), verb: 'Ship' },
    { n: all.failed_mails, text: 'mails that failed', href: orders('mail'), verb: 'Look', isUrgent: true },
    can('webhooks') && { n: all.webhooks_failing, text: 'webhooks failing', href: hooks, verb: 'Look' },
    can('webhooks') && { n: all.webhooks_paused, text: 'webhooks paused', href: hooks, verb: 'Look' },
    can('keys') && { n: all.keys_expiring, text: 'keys that expire soon', href: to('/developers'), verb: 'Roll' },
    { n: all.out_of_stock, text: 'out of stock', href: to('/stock', { out: '1' }), verb: 'Look' },
  ];
  return needs.filter((need) => need !== false).filter(({ n }) => n > 0);
}

function Needs() {
  const query = useGet(['counts'], () => api.GET('/v1/attention'));
  const all = query.data?.data;
  return (
    <Section title="Needs attention">
      <Waiting query={query} />
      {all && (
        <>
          <ul class="rows needs">
            {needsOf(all).map(({ n, text, href, verb, isUrgent }) => (
              <li key={text}>
                <strong class={isUrgent ? 'bad' : ''}>{n.toLocaleString()}</strong>
                <span class="grow">{text}</span>
                <a class="button small" href={href} aria-label={`${verb}: ${n} ${text}`}>
                  {verb}
                </a>
              </li>
            ))}
          </ul>
          {needsOf(all).length === 0 && <p class="soft">Nothing needs you.</p>}
          <p class="foot">
            <a href={to('/orders')}>{count(all.to_ship, 'order')} to ship</a>
          </p>
        </>
      )}
    </Section>
  );
}

/** Statistics are by days of the store, the last 14 of them. */
const DAYS = 14;
const dayText = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const FIGURES = { orders: 'Orders', amount: 'Revenue', units: 'Units', cancelled: 'Cancelled' } as const;
type Figure = keyof typeof FIGURES;

function Figures({ rows }: { rows: readonly OrderSums[] }) {
  const [what, setWhat] = useState<Figure>('orders');
  const show = (figure: Figure, row: OrderSums | undefined) =>
    figure === 'amount' ? money(row?.amount ?? 0, currency()) : (row?.[figure] ?? 0).toLocaleString();
  return (
    <>
      <dl class="figures">
        {(Object.keys(FIGURES) as Figure[]).map((figure) => (
          <div key={figure}>
            <dt>{FIGURES[figure]}</dt>
            <dd>
              {show(figure, rows.at(-1))} <small>yesterday {show(figure, rows.at(-2))}</small>
            </dd>
          </div>
        ))}
      </dl>
      <div class="views" role="group" aria-label="What the bars show">
        {(['orders', 'amount'] as const).map((each) => (
          <button
            key={each}
            type="button"
            class="quiet small"
            aria-pressed={what === each}
            onClick={() => setWhat(each)}
          >
            {FIGURES[each]}
          </button>
        ))}
        <small>last {DAYS} days</small>
      </div>
      <Bars
        label={`${FIGURES[what]} by day`}
        bars={rows.map((row) => ({
          name: dayText.format(new Date(row.period)),
          value: row[what],
          text: show(what, row),
        }))}
      />
    </>
  );
}

function Today() {
  const query = useGet(['statistics', DAYS], () =>
    api.GET('/v1/statistics/orders', { params: { query: { is_test: mode === 'test' } } }),
  );
  return (
    <Section title="Today">
      <Waiting query={query} rows={5} />
      {query.data && <Figures rows={query.data.data.slice(-DAYS)} />}
    </Section>
  );
}

const SHOWN = new Set(['Order', 'Placed', 'Customer', 'Fulfilment', 'Total']);
const NEWEST = COLUMNS.filter(({ name }) => SHOWN.has(name));

function Newest() {
  const query = useGet(['newest'], () =>
    api.GET('/v1/orders', { params: { query: { limit: 8, is_test: mode === 'test', include: ['held'] } } }),
  );
  return (
    <Section title="Newest orders" actions={<a href={to('/orders', { queue: 'all' })}>All orders</a>} flush>
      <List
        label="Table of the newest orders"
        query={query}
        columns={NEWEST}
        empty="No order yet. It shows here as soon as it is placed."
      />
    </Section>
  );
}

export const Home = () => (
  <Page title="Home">
    <div class="halves">
      <Needs />
      <Today />
    </div>
    <Newest />
  </Page>
);
