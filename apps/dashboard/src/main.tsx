import { QueryClientProvider } from '@tanstack/preact-query';
import { render, type ComponentChildren, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { Audit } from './audit/audit.js';
import { CustomerPage, Customers } from './customers/customers.js';
import { Developers } from './developers/developers.js';
import { Home } from './home/home.js';
import { mode, queries, statusOf, switchMode, textOf, type Key, type Scope } from './http.js';
import { help, Keyboard, PAGES } from './keyboard.js';
import { follow, live } from './live.js';
import { NewOrder } from './orders/new-order.js';
import { OrderPage } from './orders/order.js';
import { Orders } from './orders/orders.js';
import { OpenDialog } from './parts/ask.js';
import {
  announce,
  Announcements,
  Button,
  focusHeading,
  Forbidden,
  LinkButton,
  Note,
  Page,
  QueryStatus,
} from './parts/page.js';
import { Time, timeZone } from './parts/text.js';
import { PriceListPage } from './prices/price-list.js';
import { PriceLists } from './prices/price-lists.js';
import { ImportPage } from './products/import.js';
import { ProductPage, Products } from './products/products.js';
import { to, useRoute } from './route.js';
import { SearchEverything } from './search.js';
import { can, Enter, SignIn, SignInAgain, signOut, useMe } from './session.js';
import { SettingsPage } from './settings/settings.js';
import { Movements, Stock } from './stock/stock.js';
import { createStore, useStore } from './store.js';
import { Team } from './team/team.js';

const NEEDS: Readonly<Record<string, readonly Scope[]>> = {
  '/developers': ['keys', 'webhooks'],
  '/team': ['team'],
  '/products/import': ['catalog', 'customers', 'sales'],
  '/settings': ['settings'],
  '/audit': ['settings'],
};

const mayOpen = (path: string): boolean => NEEDS[path]?.some(can) ?? true;

const LIVE = {
  connecting: ['quiet', 'Connecting'],
  live: ['good', 'Live'],
  polling: ['wait', 'Not live: refreshes every 10 s'],
  reconnecting: ['bad', 'Reconnecting since'],
} as const;

function LiveDot() {
  const now = useStore(live);
  const [tone, text] = LIVE[now.state];
  return (
    <span class="live" data-tone={tone} role="status">
      {text} {now.since && <Time at={now.since.toISOString()} />}
    </span>
  );
}

const online = createStore(navigator.onLine);
for (const event of ['online', 'offline']) addEventListener(event, () => online.set(navigator.onLine));

function Offline() {
  return useStore(online) ? null : (
    <p class="strip" data-tone="wait" role="status">
      You are offline. The page shows the last data and refreshes when you are online again.
    </p>
  );
}

function Person({ me }: { me: Key }) {
  const name = me.person?.name ?? me.name;
  const initials = (name.match(/(?<!\S)\S/gu) ?? []).slice(0, 2).join('');
  const end = () => void signOut().catch((error: unknown) => announce(textOf(error)));
  return (
    <details class="person">
      <summary class="button" aria-label={`${initials}, account of ${name}`} children={initials} />
      <div class="menu">
        <p>
          <strong>{name}</strong>
          <small>{me.person?.email}</small>
          <small>{me.person?.role}</small>
        </p>
        <button onClick={switchMode}>{mode === 'live' ? 'Switch to test mode' : 'Leave test mode'}</button>
        <button onClick={() => help.set(true)}>Keyboard shortcuts ?</button>
        <LinkButton text="API reference" href="../docs" target="_blank" rel="noreferrer" />
        <button onClick={end}>Sign out</button>
      </div>
    </details>
  );
}

function Frame({ me, children }: { me: Key; children: ComponentChildren }) {
  const { path } = useRoute();
  const linkTo = ({ path: page, key }: (typeof PAGES)[number]) => {
    const isHere = page === '/' ? path === '/' : path.startsWith(page);
    return { href: to(page), 'aria-current': isHere ? ('page' as const) : undefined, 'aria-keyshortcuts': `g ${key}` };
  };
  // On a phone, the navigation is wider than the page.
  useEffect(
    () => document.querySelector('.top [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' }),
    [path],
  );
  // The last announcement belongs to the previous page.
  useEffect(() => () => announce(''), [path]);
  return (
    <>
      <header class="top">
        <Button text="Skip to content" class="skip" onClick={focusHeading} />
        <strong class="store">{me.store.name}</strong>
        <nav aria-label="Dashboard">
          {PAGES.filter((page) => mayOpen(page.path)).map((page) => (
            <a key={page.path} {...linkTo(page)} children={page.name} />
          ))}
        </nav>
        <SearchEverything key={`find ${path}`} />
        <LiveDot />
        <Person me={me} key={path} />
      </header>
      {mode === 'test' && (
        <div class="strip test" data-tone="wait" role="status">
          <span>
            Test mode: only test orders are shown. Stock, products, prices, customers, keys and people are live, and
            cannot be changed here.
          </span>
          <button onClick={switchMode}>Leave</button>
        </div>
      )}
      <Offline />
      <main>
        {children}
        <OpenDialog />
      </main>
      <footer class="soft">{`Time zone: ${timeZone()}`}</footer>
      <Announcements />
      <Keyboard />
      <SignInAgain />
    </>
  );
}

/** Pages by the first step of the path; each page gets the remaining path. */
const ROUTES: Readonly<Record<string, (rest: string) => JSX.Element>> = {
  '': () => <Home />,
  orders: (id) => (id === 'new' ? <NewOrder /> : id ? <OrderPage key={id} id={id} /> : <Orders />),
  stock: (rest) => (rest === 'movements' ? <Movements /> : <Stock />),
  products: (id) => (id === 'import' ? <ImportPage /> : id ? <ProductPage key={id} id={id} /> : <Products />),
  prices: (code) => (code ? <PriceListPage key={code} code={code} /> : <PriceLists />),
  customers: (id) => (id ? <CustomerPage key={id} id={id} /> : <Customers />),
  developers: () => <Developers />,
  team: () => <Team />,
  settings: () => <SettingsPage />,
  audit: () => <Audit />,
};

const IN_TEST = <Note tone="wait">What this page shows is live. Leave test mode to open it.</Note>;

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function Routed({ path }: { path: string }): JSX.Element {
  const [, first = '', rest = ''] = /^\/([^/]*)\/?(.*)$/.exec(path) ?? [];
  const page = ROUTES[first];
  const given = decode(rest);
  const home = <a href={to('/')}>Home</a>;
  if (!page || given === undefined) return <Page title="Page not found" children={home} />;
  if (!mayOpen(`/${first}`) || !mayOpen(path))
    return <Page title="Not permitted" children={mode === 'live' ? <Forbidden /> : IN_TEST} />;
  return page(given);
}

function App(): JSX.Element {
  const { path } = useRoute();
  const me = useMe();
  const isIn = me.data !== undefined;
  useEffect(() => {
    if (isIn) void follow();
  }, [isIn]);
  const token = /^\/enter\/(.+)$/.exec(path)?.[1];
  if (token) return <Enter key={token} token={token} />;
  const refusal = /^\/sign-in\/refused\/(.+)$/.exec(path)?.[1];
  if (refusal) return <SignIn refusal={refusal} />;
  if (me.data) return <Frame me={me.data.data} children={<Routed path={path} />} />;
  if (statusOf(me.error) === 401) return <SignIn />;
  return (
    <>
      <header class="top">
        <strong class="store">Store dashboard</strong>
      </header>
      <main>
        <QueryStatus query={me} rows={6} />
      </main>
    </>
  );
}

render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
  document.getElementById('app') as HTMLElement,
);
