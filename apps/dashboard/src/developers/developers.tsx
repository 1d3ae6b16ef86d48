import { allOf, get, useRead, type Schemas } from '../http.js';
import { Secret } from '../parts/ask.js';
import { List, right, type Columns } from '../parts/list.js';
import { Forbidden, Page } from '../parts/page.js';
import { sum } from '../parts/text.js';
import { to, useRoute } from '../route.js';
import { can } from '../session.js';
import { Keys, NewKey } from './keys.js';
import { EditWebhook, Webhooks } from './webhooks.js';

/** What to do about the most frequent codes of integrations. The guide explains all of them. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'The request is malformed: its answer says where. Correct the program.',
  unauthorized: 'The key is missing or wrong.',
  api_key_inactive: 'The program still uses a key that is revoked, off or expired. Give it another.',
  store_inactive: 'The store is off. Ask the operator of the service.',
  address_not_allowed: 'The key is used from another network. Is that you? If not, revoke it.',
  insufficient_scope: 'The key may not do this. Make one that may.',
  not_found: 'The path or id is wrong, or of the other mode.',
  out_of_stock: 'Stock is short. Reduce the quantities, or correct the stock.',
  item_unavailable: 'A product is unknown or inactive. Let the program read the products again.',
  price_changed: 'The buyer saw another price. Let the program ask again.',
  fraud_rejected: 'The fraud rules of the store reject the order.',
  order_held: 'The order is under review: release or cancel it first.',
  external_reference_taken: 'The order is there already: the program sent it twice.',
  idempotency_mismatch: 'The program used one Idempotency-Key for two requests.',
  exceeds_maker: 'A key cannot give more than it has.',
  throttled: 'The program sends too much. It must wait as Retry-After says.',
  overloaded: 'The service was busy. The program may repeat it.',
  internal_error: 'The service failed. Send the X-Request-Id to its operator.',
};

/** Sums the refusals by key and code, the most frequent first. The input lists the newest day first. */
function refusalsOf(days: readonly Schemas['KeyUse'][]) {
  const all = days.flatMap(({ key_id, name, day, refused }) =>
    Object.entries(refused).map(([code, times]) => ({ id: `${key_id} ${code}`, name, code, times, last: day })),
  );
  const newest = new Map(all.toReversed().map((row) => [row.id, row]));
  const timesOf = (id: string) => sum(all.filter((row) => row.id === id).map(({ times }) => times));
  return [...newest.values()].map((row) => ({ ...row, times: timesOf(row.id) })).sort((a, b) => b.times - a.times);
}
type Refusal = ReturnType<typeof refusalsOf>[number];

const COLUMNS: Columns<Refusal> = {
  Code: ({ code }) => (
    <a href="../docs/errors#codes" target="_blank" rel="noreferrer">
      <code>{code}</code>
    </a>
  ),
  Key: ({ name }) => <bdi class="line">{name || 'without a name'}</bdi>,
  Times: right(({ times }) => times.toLocaleString()),
  'Last day (UTC)': right(({ last }) => last),
  'What to do': ({ code }) => ADVICE[code] ?? 'The guide explains the code.',
};

async function read() {
  const { data, ...rows } = await allOf((page) => get('/v1/keys/usage', { query: { days: 7, ...page } }));
  return { ...rows, data: refusalsOf(data) };
}

function Requests() {
  const list = useRead(['key-use'], read);
  const empty = 'No request was refused in the last 7 days.';
  return <List label="Refused requests" query={list} columns={COLUMNS} empty={empty} />;
}

const TABS = [
  { path: '/developers', name: 'Keys', needs: 'keys', content: Keys, action: NewKey },
  { path: '/developers/webhooks', name: 'Webhooks', needs: 'webhooks', content: Webhooks, action: EditWebhook },
  { path: '/developers/requests', name: 'Requests', needs: 'keys', content: Requests, action: () => null },
] as const;

export function Developers() {
  const { path } = useRoute();
  const tabs = TABS.filter(({ needs }) => can(needs));
  const tab = tabs.find((each) => each.path === path) ?? tabs[0];
  return (
    <Page title="Developers" actions={tab && <tab.action />}>
      <nav class="views" aria-label="Developers">
        {tabs.map((each) => (
          <a key={each.path} href={to(each.path)} aria-current={each === tab ? 'page' : undefined}>
            {each.name}
          </a>
        ))}
        <a href="../docs" target="_blank" rel="noreferrer">
          API reference ↗
        </a>
      </nav>
      {tab ? <tab.content /> : <Forbidden />}
      <Secret />
    </Page>
  );
}
