import { useState } from 'preact/hooks';
import { get, useGet, useRead, type Schemas } from '../http.js';
import { COLUMNS, ONLY_MODE } from '../orders/columns.js';
import { Count } from '../orders/orders.js';
import { money } from '../parts/amount.js';
import { Download, List, Named, right, Table, type Columns } from '../parts/list.js';
import { LinkButton, Page, Section, QueryStatus } from '../parts/page.js';
import { count, noun, timeZone } from '../parts/text.js';
import { to } from '../route.js';
import { can, currency } from '../session.js';

type OrderSums = Schemas['OrderSums'];

/** Lists what needs attention, the most urgent first, except what the role cannot open. */
function needsOf(all: Schemas['Attention']) {
  const { failed_mails: mails, webhooks_failing: failing, webhooks_paused: paused, keys_expiring: keys } = all;
  const orders = (queue: string) => to('/orders', { queue });
  const hooks = to('/developers/webhooks');
  const needs = [
    {
      n: all.held,
      text: `${noun(all.held, 'order')} under review`,
      href: orders('review'),
      verb: 'Review',
      isUrgent: true,
    },
    {
      n: all.refund_due,
      text: `${noun(all.refund_due, 'refund')} due`,
      href: orders('refund'),
      verb: 'Refund',
      isUrgent: true,
    },
    {
      n: all.waiting_over_2_days,
      text: `${noun(all.waiting_over_2_days, 'order')} to ship, placed more than 2 days ago`,
      href: to('/orders'),
      verb: 'Ship',
    },
    { n: mails, text: `failed ${noun(mails, 'email')}`, href: orders('mail'), verb: 'View', isUrgent: true },
    can('webhooks') && { n: failing, text: `failing ${noun(failing, 'webhook')}`, href: hooks, verb: 'View' },
    can('webhooks') && { n: paused, text: `paused ${noun(paused, 'webhook')}`, href: hooks, verb: 'View' },
    can('keys') && { n: keys, text: `${noun(keys, 'key')} expiring soon`, href: to('/developers'), verb: 'Roll' },
    {
      n: all.out_of_stock,
      text: `${noun(all.out_of_stock, 'SKU')} out of stock`,
      href: to('/stock', { out: '1' }),
      verb: 'View',
    },
    {
      n: all.low_stock,
      text: `${noun(all.low_stock, 'SKU')} with low stock`,
      href: to('/stock', { low: '1' }),
      verb: 'View',
    },
  ];
  return needs.filter((need) => need !== false).filter(({ n }) => n > 0);
}

function Needs({ all }: { all: Schemas['Attention'] }) {
  const needs = needsOf(all);
  return (
    <>
      <ul class="rows needs">
        {needs.map(({ n, text, href, verb, isUrgent }) => (
          <li key={text}>
            <strong class={isUrgent ? 'bad' : ''}>{n.toLocaleString()}</strong>
            <span class="grow">{text}</span>
            <LinkButton text={verb} class="small" href={href} aria-label={`${verb}: ${n} ${text}`} />
          </li>
        ))}
      </ul>
      {needs.length === 0 && <p class="soft">Nothing needs attention.</p>}
      <p class="foot">
        <a href={to('/orders')}>{count(all.to_ship, 'order')} to ship</a>
        {' · '}
        <a href={to('/orders', { queue: 'open' })}>
          <Count queue="open" /> awaiting payment
        </a>
        {' · '}
        <a href={to('/orders', { queue: 'overdue' })}>
          <Count queue="overdue" /> overdue
        </a>
      </p>
    </>
  );
}

type Bar = Readonly<{ name: string; value: number; text: string }>;

const HEIGHT = 40;
const OF_BARS: Columns<Bar> = { Day: ({ name }) => name, Value: right(({ text }) => text) };

function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = 100 / Math.max(1, bars.length);
  const boxOf = (value: number, index: number) => {
    const height = value === 0 ? 0.6 : Math.max(1.5, (HEIGHT * value) / most);
    return { x: (index + 0.14) * width, width: width * 0.72, y: HEIGHT - height, height };
  };
  return (
    <figure class="bars">
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ name, value, text }, index) => (
          <rect key={name} {...boxOf(value, index)}>
            <title>{`${name}: ${text}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption>
        <span>{bars[0]?.name}</span>
        <span>{bars.at(-1)?.name}</span>
      </figcaption>
      <details>
        <summary>Show as table</summary>
        <Table label={label} rows={bars} columns={OF_BARS} keyOf={({ name }) => name} />
      </details>
    </figure>
  );
}

/** The statistics cover the last 14 days of the store. */
const DAYS = 14;
const dayText = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

const FIGURES = {
  orders: 'Orders',
  amount: 'Order value',
  units: 'Units ordered',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
} as const;
type Figure = keyof typeof FIGURES;
const ALL_FIGURES = Object.keys(FIGURES) as Figure[];

function show(figure: Figure, row?: OrderSums): string {
  const value = row?.[figure] ?? 0;
  return figure === 'amount' || figure === 'refunded' ? money(value, currency()) : value.toLocaleString();
}

function Figures({ rows }: { rows: readonly OrderSums[] }) {
  const [shown, choose] = useState<Figure>('orders');
  const nameOf = ({ period }: OrderSums) => dayText.format(new Date(period));
  const bars = rows.map((row) => ({ name: nameOf(row), value: row[shown], text: show(shown, row) }));
  return (
    <>
      <dl class="figures">
        {ALL_FIGURES.map((figure) => (
          <div key={figure}>
            <dt>{FIGURES[figure]}</dt>
            <dd>
              {show(figure, rows.at(-1))} <small>yesterday {show(figure, rows.at(-2))}</small>
            </dd>
          </div>
        ))}
      </dl>
      <div class="views">
        <select aria-label="Chart metric" onChange={(event) => choose(event.currentTarget.value as Figure)}>
          {ALL_FIGURES.map((figure) => (
            <option key={figure} value={figure} children={FIGURES[figure]} />
          ))}
        </select>
        <small>{`last ${DAYS} days, including cancelled orders and units`}</small>
      </div>
      <Bars label={`${FIGURES[shown]} by day`} bars={bars} />
    </>
  );
}

const MOST_SOLD = 8;
const SOLD: Columns<Schemas['ProductSums']> = {
  Product: ({ product_id: id, name, sku }) => (
    <Named name={name} small={[sku]} {...(id !== null && { href: to(`/products/${id}`) })} />
  ),
  Units: right(({ units }) => units.toLocaleString()),
  Amount: right(({ amount }) => money(amount, currency())),
  Returned: right(({ returned }) => returned.toLocaleString()),
};

/** Returns the days of this week, which begins on Monday, or of this month, until today, in the store's time zone. */
function daysOf(period: string) {
  const today = new Date(new Intl.DateTimeFormat('sv-SE', { timeZone: timeZone() }).format(new Date()));
  const before = period === 'month' ? today.getUTCDate() - 1 : (today.getUTCDay() + 6) % 7;
  const day = (days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  return { from: day(-before), to: day(1) };
}

function BestSellers() {
  const [period, choose] = useState('week');
  const query = { ...ONLY_MODE, ...daysOf(period), by: 'sku' as const, limit: MOST_SOLD };
  const sold = useGet('/v1/statistics/products', { query });
  const rows = sold.data?.data.filter(({ units }) => units > 0) ?? [];
  const periods = (
    <select aria-label="Period" value={period} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="week">This week</option>
      <option value="month">This month</option>
    </select>
  );
  return (
    <Section title="Best sellers" actions={periods}>
      <QueryStatus query={sold} rows={3} />
      {rows.length > 0 && <Table label="Best sellers table" rows={rows} columns={SOLD} />}
      {sold.data && rows.length === 0 && <p class="soft">Nothing sold yet.</p>}
    </Section>
  );
}

const { Payment: _, Units: __, ...NEWEST } = COLUMNS;

export function Home() {
  const query = { ...ONLY_MODE, limit: 8, include: ['held' as const] };
  const counts = useGet('/v1/attention', { query: ONLY_MODE });
  const days = useGet('/v1/statistics/orders', { query: ONLY_MODE });
  const empty = 'No orders yet. New orders appear here.';
  const newest = useRead(['newest'], () => get('/v1/orders', { query }));
  return (
    <Page title="Home">
      <div class="halves">
        <Section title="Needs attention">
          <QueryStatus query={counts} />
          {counts.data && <Needs all={counts.data.data} />}
        </Section>
        <Section title="Today" actions={<Download table={{ path: '/v1/statistics/orders', query: ONLY_MODE }} />}>
          <QueryStatus query={days} rows={5} />
          {days.data && <Figures rows={days.data.data.slice(-DAYS)} />}
        </Section>
      </div>
      <BestSellers />
      <Section title="Newest orders" actions={<a href={to('/orders', { queue: 'all' })}>All orders</a>}>
        <List label="Newest orders table" query={newest} columns={NEWEST} empty={empty} />
      </Section>
    </Page>
  );
}
