import { QueryClientProvider } from '@tanstack/preact-query';
import { render, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { CustomerPage, Customers } from './customers/customers.js';
import { Developers } from './developers/developers.js';
import { Frame, mayOpen } from './frame.js';
import { Home } from './home/home.js';
import { queries, statusOf } from './http.js';
import { follow } from './live.js';
import { OrderPage } from './orders/order.js';
import { Orders } from './orders/orders.js';
import { Note, Page, Waiting } from './parts/page.js';
import { ImportPage } from './products/import.js';
import { ProductPage, Products } from './products/products.js';
import { to, useRoute } from './route.js';
import { Enter, SignIn, useMe } from './session.js';
import { Movements } from './stock/changes.js';
import { Stock } from './stock/stock.js';
import { Team } from './team/team.js';

/** By the first step of the path; the rest of it is given to the page. */
const ROUTES: Readonly<Record<string, (rest: string) => JSX.Element>> = {
  '': () => <Home />,
  orders: (id) => (id ? <OrderPage key={id} id={id} /> : <Orders />),
  stock: (rest) => (rest === 'movements' ? <Movements /> : <Stock />),
  products: (id) => (id === 'import' ? <ImportPage /> : id ? <ProductPage key={id} id={id} /> : <Products />),
  customers: (id) => (id ? <CustomerPage key={id} id={id} /> : <Customers />),
  developers: () => <Developers />,
  team: () => <Team />,
};

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
  if (!page || given === undefined)
    return (
      <Page title="There is no such page">
        <a href={to('/')}>Home</a>
      </Page>
    );
  if (!mayOpen(`/${first}`))
    return (
      <Page title="Not for your role">
        <Note tone="wait">Your role does not include this page. An owner of the store can change it in Team.</Note>
      </Page>
    );
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
  if (me.data)
    return (
      <Frame me={me.data.data}>
        <Routed path={path} />
      </Frame>
    );
  if (statusOf(me.error) === 401) return <SignIn />;
  return (
    <>
      <header class="top">
        <strong class="store">Store dashboard</strong>
      </header>
      <main>
        <Waiting query={me} rows={6} />
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
