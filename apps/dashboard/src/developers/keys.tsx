import { api, isDown, mode, textOf, useGet, type Schemas, type Scope, type StoreKey } from '../http.js';
import { ConfirmDialog, Choices, Copied, Field, secret, type Values } from '../parts/ask.js';
import { List, Named, pageOf, Table, right, type Columns } from '../parts/list.js';
import { Badge, RowActions } from '../parts/page.js';
import { isolateBidi, count, Time, timeText } from '../parts/text.js';
import { useRoute } from '../route.js';
import { can } from '../session.js';

type Word = Schemas['CreateKeyRequest']['scope'][number];

const TASKS: Readonly<Record<Word, string>> = {
  read: 'included in every key',
  orders: 'place orders',
  fulfillment: 'ship, cancel, release',
  payments: 'record payments and refunds',
  stock: 'change stock',
  webhooks: 'manage webhooks',
  catalog: 'change products and prices',
  customers: 'change customers',
  sales: 'record till sales',
  pricing: 'set order prices and charges',
  keys: 'create and revoke keys',
  settings: 'change settings and read the audit',
  full: 'everything except keys, including what later versions add',
};

function mayOf({ full, scope }: StoreKey): string {
  if (full) return TASKS.full;
  const tasks = scope.filter((word) => word !== 'read' && word !== 'team');
  return tasks.map((word) => TASKS[word]).join(', ') || 'read only';
}

const AS_BEFORE = 'same as the old key';
const EXPIRIES = { '90 days': 90, '1 year': 365, never: 0 };
const OVERLAPS = { immediately: 0, 'after 1 day': 24, 'after 7 days': 168, 'after 30 days': 720 };

type Expiry = keyof typeof EXPIRIES;

function endOf(expiry: Expiry): string | null {
  const end = new Date();
  end.setDate(end.getDate() + EXPIRIES[expiry]);
  return expiry === 'never' ? null : end.toISOString();
}

function show({ data }: { data?: { data: { key: string } } }): void {
  const key = data?.data.key ?? '';
  const trial = `curl ${new URL('../v1/key', document.baseURI).href} -H "Authorization: Bearer ${key}"`;
  secret.set({ title: 'Key created', text: key, hint: ['Try it:', <Copied key="curl" text={trial} name="curl" />] });
}

const LOST = 'The key may still have been created. If it appears under Developers, Keys, revoke it and create another.';

/** Only the first answer contains the secret, so a failed request may have made a key that nobody knows. */
function mayExist(error: unknown): never {
  throw isDown(error) ? new Error(`${textOf(error)} ${LOST}`) : error;
}

type NewKeyValues = Values<'name' | 'networks'> & { readonly mode: typeof mode; readonly expiry: Expiry };

export function NewKey() {
  const send = (values: NewKeyValues, form: FormData) => {
    const { expiry, networks, ...given } = values;
    const scope = form.getAll('scope') as Word[];
    if (scope.length === 0) throw new Error('Select at least one scope.');
    const body = { ...given, scope, expires_at: endOf(expiry), networks: networks.match(/[^\s,]+/g) };
    return api.POST('/v1/keys', { body }).then(show, mayExist);
  };
  const given = Object.entries(TASKS).filter(([word]) => can(word === 'full' ? 'team' : (word as Scope)));
  const networks = 'In CIDR notation, such as 192.0.2.0/24. Leave empty to allow any network.';
  return (
    <ConfirmDialog label="New key…" title="New key" submitLabel="Create" tone="primary" send={send}>
      <Field label="Name" name="name" required maxLength={200} autoFocus placeholder="ERP bridge" />
      <Choices label="Mode" name="mode" begin={mode} of={{ live: 1, test: 2 }} />
      <Choices label="Scopes" name="scope" isMany of={Object.fromEntries(given)} />
      <Field label="Allowed networks" name="networks" placeholder="any" hint={networks} />
      <Choices label="Expires" name="expiry" begin="90 days" of={EXPIRIES} />
    </ConfirmDialog>
  );
}

const CHANGES = {
  activate: { submitLabel: 'Activate', text: 'It works again immediately.', toast: 'activated' },
  deactivate: {
    submitLabel: 'Deactivate',
    text: 'Its requests are refused until you activate it.',
    toast: 'deactivated',
  },
  revoke: {
    submitLabel: 'Revoke',
    tone: 'danger',
    text: 'It stops working immediately and permanently.',
    toast: 'revoked',
  },
} as const;

function KeyActions({ row }: { row: StoreKey }) {
  const path = { params: { path: { id: row.id } } };
  const name = isolateBidi(row.name);
  const isOff = row.status === 'DEACTIVATED';
  const use = row.last_used_at
    ? `It was last used on ${timeText(row.last_used_at)} and made ${count(row.requests_7_days, 'request')} in the last 7 days.`
    : 'No use is recorded. Requests appear here up to a minute later.';
  const reason = row.successor_id
    ? 'This key was already rolled. Use its successor.'
    : isOff
      ? 'Activate it first.'
      : undefined;
  const roll = ({ overlap, expiry }: { overlap: keyof typeof OVERLAPS; expiry: Expiry | typeof AS_BEFORE }) => {
    const expires_at = expiry === AS_BEFORE ? undefined : endOf(expiry);
    const body = { overlap_hours: OVERLAPS[overlap], expires_at };
    return api.POST('/v1/keys/{id}/roll', { ...path, body }).then(show, mayExist);
  };
  const change = (to: keyof typeof CHANGES) => {
    const { text, toast, ...rest } = CHANGES[to];
    const words = { title: `${rest.submitLabel} ${name}?`, text: `${use} ${text}`, toast: `${name} ${toast}.` };
    return <ConfirmDialog {...rest} {...words} send={() => api.POST(`/v1/keys/{id}/${to}`, path)} />;
  };
  return (
    <RowActions of={name}>
      <ConfirmDialog label="Roll…" title={`Roll ${name}`} submitLabel="Create new key" reason={reason} send={roll}>
        <p class="soft">Creates a key with the same name, scopes and networks. {use}</p>
        <Choices label="The old key stops working" name="overlap" begin="after 7 days" of={OVERLAPS} />
        <Choices label="The new key expires" name="expiry" begin={AS_BEFORE} of={{ [AS_BEFORE]: 0, ...EXPIRIES }} />
      </ConfirmDialog>
      {change(isOff ? 'activate' : 'deactivate')}
      {change('revoke')}
    </RowActions>
  );
}

const COLUMNS: Columns<StoreKey> = {
  Name: ({ name, created_by: { name: maker } }) => (
    <Named name={<bdi>{name || 'unnamed'}</bdi>} small={[maker && `created by ${isolateBidi(maker)}`]} />
  ),
  Key: ({ mode, last_four, status }) => (
    <>
      <code>…{last_four}</code> <Badge state={mode} tone={mode === 'test' ? 'wait' : 'quiet'} />
      {status === 'DEACTIVATED' && <Badge state="deactivated" tone="bad" />}
    </>
  ),
  Scopes: mayOf,
  Networks: ({ networks }) => networks.join(', ') || 'any',
  'Last used': right(({ last_used_at: at }) => (at ? <Time at={at} /> : '–')),
  '7 days': right(({ requests_7_days, refused_7_days: refused }) => (
    <>
      {requests_7_days.toLocaleString()}
      {refused > 0 && <small class="bad">{refused.toLocaleString()} refused</small>}
    </>
  )),
  Expires: right(({ expires_at: at }) => (at ? <Time at={at} /> : 'never')),
};

const isOver = ({ status, expires_at }: StoreKey): boolean =>
  status === 'REVOKED' || (expires_at !== null && new Date(expires_at) <= new Date());

export function Keys() {
  const query = pageOf(useRoute().query);
  const list = useGet('/v1/keys', { query });
  const over = list.data?.data.filter(isOver) ?? [];
  return (
    <>
      <List
        label="Keys"
        noun="key"
        query={list}
        rows={list.data?.data.filter((row) => !isOver(row))}
        columns={{ ...COLUMNS, Actions: right((row: StoreKey) => <KeyActions row={row} />) }}
        empty="No active keys. Create a key for each integration, such as an ERP."
      />
      <p class="foot soft">Requests are counted up to a minute later.</p>
      {over.length > 0 && (
        <details class="foot">
          <summary>{count(over.length, 'key')} revoked or expired</summary>
          <Table label="Revoked and expired keys" rows={over} columns={COLUMNS} />
        </details>
      )}
    </>
  );
}
