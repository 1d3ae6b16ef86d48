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
  invalid_request: 'The request is invalid. Correct the fields that the response names.',
  unauthorized: 'The key is missing or wrong. Check the Authorization header.',
  api_key_inactive: 'The integration uses a revoked, deactivated or expired key. Replace it.',
  store_inactive: 'The store is inactive. Ask the operator of the service.',
  address_not_allowed: 'The key was used from a network that it does not allow. If that was not you, revoke it.',
  insufficient_scope: 'The key lacks a scope. Create a key that has it.',
  not_found: 'The path or ID is wrong, or the record belongs to the other mode.',
  out_of_stock: 'Stock is short. Reduce the quantities, or correct the stock.',
  item_unavailable: 'A product is unknown or inactive. Refresh the products in the integration.',
  price_changed: 'The price changed after the buyer saw it. Show the new total before ordering.',
  fraud_rejected: 'The fraud rules of the store rejected the order.',
  order_held: 'The order is under review. Release or cancel it first.',
  external_reference_taken: 'The order already exists: the integration sent it twice.',
  idempotency_mismatch: 'Two different requests used the same Idempotency-Key.',
  exceeds_maker: 'A key cannot grant more than it has.',
  throttled: 'The integration sends too many requests. It must wait as Retry-After says.',
  overloaded: 'The service was busy. The integration can retry.',
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
  Key: ({ name }) => <bdi class="line">{name || 'unnamed'}</bdi>,
  Count: right(({ times }) => times.toLocaleString()),
  'Last day (UTC)': right(({ last }) => last),
  'What to do': ({ code }) => ADVICE[code] ?? 'See the code in the error guide.',
};

async function read() {
  const { data, ...rows } = await allOf((page) => get('/v1/keys/usage', { query: { days: 7, ...page } }));
  return { ...rows, data: refusalsOf(data) };
}

function Requests() {
  const list = useRead(['key-use'], read);
  const empty = 'No requests were refused in the last 7 days.';
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
