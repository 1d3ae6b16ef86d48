import { get, statusOf, useRead, type Schemas } from '../http.js';
import { startOfDay } from '../parts/day.js';
import { capitalize, Choice, Day, Filters, List, Named, type Columns } from '../parts/list.js';
import { LinkButton, Page } from '../parts/page.js';
import { Lines, Time, timeZone } from '../parts/text.js';
import { to, useRoute, type Route } from '../route.js';

type Entry = Schemas['AuditEntry'];

const ACTIONS = [
  ...['key.created', 'key.rolled', 'key.activated', 'key.deactivated', 'key.revoked'],
  ...['person.added', 'person.changed', 'person.invited', 'person.removed', 'session.ended'],
  ...['sign_in.succeeded', 'sign_in.failed', 'settings.changed', 'prices.changed', 'price_list.created'],
  ...['price_list.changed', 'price_list.deleted', 'import.written', 'customer.exported', 'customer.erased'],
  ...['webhook.created', 'webhook.changed', 'webhook.paused', 'webhook.resumed', 'webhook.replayed'],
  ...['webhook.secret_rotated', 'webhook.deleted'],
];

const words = (name: string): string => capitalize(name.replace(/[._]/g, ' '));

function Who({ actor: { type, id, name }, address }: Entry) {
  const { query } = useRoute();
  const actor = id || type;
  return (
    <Named
      name={<bdi>{name || capitalize(type)}</bdi>}
      href={to('/audit', { ...query, actor, page: '' })}
      small={[name && type, address]}
    />
  );
}

function textOf(value: unknown): string {
  if (value === null || value === '') return 'nothing';
  if (Array.isArray(value)) return value.map(textOf).join(', ') || 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Changes({ changes }: Entry) {
  const lines = Object.entries(changes).map(([field, value]) => {
    const [before, after] = value as [unknown, unknown];
    const text = before === null ? textOf(after) : `${textOf(before)} → ${textOf(after)}`;
    return <bdi key={field} children={`${field.replaceAll('_', ' ')}: ${text}`} />;
  });
  return <Lines of={lines} />;
}

const COLUMNS: Columns<Entry> = {
  When: ({ at }) => <Time at={at} />,
  Who: (row) => <Who {...row} />,
  What: ({ action, subject: { id, name } }) => <Named name={words(action)} small={[name || id]} />,
  Changes: (row) => <Changes {...row} />,
};

/** An address that names no page shows the first one. */
async function readPage({ search, actor, action, from, until, page }: Route['query']) {
  const zone = timeZone();
  const [begin, end] = [startOfDay(from, zone), startOfDay(until, zone, 1)];
  const query = { limit: 50, subject: search, actor, action: action as Entry['action'], from: begin, to: end };
  const read = await get('/v1/audit', { query: { ...query, cursor: page } }).catch((error: unknown) => {
    if (!page || statusOf(error) !== 400) throw error;
    return get('/v1/audit', { query });
  });
  return { data: read.data, pagination: { total: read.data.length }, next: read.has_more ? read.cursor : undefined };
}

export function Audit() {
  const { path, query } = useRoute();
  const { page, ...first } = query;
  const entries = useRead(['/v1/audit', query], () => readPage(query));
  const next = entries.data?.next;
  return (
    <Page title="Audit">
      <Filters search="ID of a key, person or webhook, or code of a price list" table={undefined}>
        <Choice name="action" label="Action" values={ACTIONS.map((action) => [action, words(action)])} />
        <Day label="From" name="from" of="Changed" />
        <Day label="to" name="until" of="Changed" />
        {query.actor && <LinkButton text="Show all actors" href={to(path, { ...first, actor: '' })} />}
      </Filters>
      <List label="Entries" query={entries} columns={COLUMNS} empty="No entries." keyOf={JSON.stringify} />
      {(page || next) && (
        <nav class="pages" aria-label="Pages">
          {page && <LinkButton text="First page" href={to(path, first)} />}
          {next && <LinkButton text="Next" rel="next" href={to(path, { ...first, page: next })} />}
        </nav>
      )}
    </Page>
  );
}
