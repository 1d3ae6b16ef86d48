import { useState } from 'preact/hooks';
import { api, mode, useGet, type Scope, type StoreKey } from '../http.js';
import { Ask, Check, Choices, Field, textIn } from '../parts/ask.js';
import { List, PAGE_SIZE, Table, type Column } from '../parts/list.js';
import { Badge } from '../parts/page.js';
import { alone, count, Time, timeText } from '../parts/text.js';
import { useRoute } from '../route.js';
import { can } from '../session.js';
import { Copied, secret } from './secret.js';

/** What a key may do, in words of tasks. */
const TASKS: Readonly<Record<Exclude<Scope, 'read' | 'team'>, string>> = {
  orders: 'place orders',
  fulfillment: 'ship, cancel, release',
  payments: 'record payments and refunds',
  stock: 'change stock',
  webhooks: 'manage webhooks',
  catalog: 'change products and prices',
  customers: 'change customers',
  sales: 'record sales of tills',
  keys: 'make and revoke keys',
};
type Task = keyof typeof TASKS;

function mayOf({ full, scope }: StoreKey): string {
  if (full) return 'everything, also what later versions add';
  const tasks = scope.filter((word): word is Task => word in TASKS).map((word) => TASKS[word]);
  return tasks.length === 0 ? 'only read' : tasks.join(', ');
}

function scopeIn(form: FormData): ('read' | 'full' | Task)[] {
  const may = textIn(form, 'may') as 'read' | 'full' | 'tasks';
  if (may !== 'tasks') return [may];
  const tasks = form.getAll('tasks') as Task[];
  if (tasks.length === 0) throw new Error('Choose what the key may do.');
  return ['read', ...tasks];
}

/** In days. */
const EXPIRIES = { '90 days': 90, '1 year': 365, never: 0 };
/** In hours. */
const OVERLAPS = { 'no time: it ends now': 0, '1 day': 24, '7 days': 168, '30 days': 720 };

export const numberIn = (form: FormData, name: string, of: Readonly<Record<string, number>>): number =>
  of[textIn(form, name)] ?? 0;

function expiryIn(form: FormData): string | null {
  const days = numberIn(form, 'expiry', EXPIRIES);
  const end = new Date();
  end.setDate(end.getDate() + days);
  return days > 0 ? end.toISOString() : null;
}

const isOver = ({ status, expires_at }: StoreKey): boolean =>
  status === 'REVOKED' || (expires_at !== null && new Date(expires_at) <= new Date());

/** The choice of what a key may do, which has no preset. A tick is the choice of tasks. */
function May() {
  const [may, choose] = useState('');
  const [tasks, setTasks] = useState<readonly Task[]>([]);
  const toggle = (task: Task) => {
    setTasks(tasks.includes(task) ? tasks.filter((each) => each !== task) : [...tasks, task]);
    choose('tasks');
  };
  const radio = (value: string, word: string) => (
    <label class="tick">
      <input type="radio" name="may" value={value} required checked={may === value} onChange={() => choose(value)} />
      <span>{word}</span>
    </label>
  );
  return (
    <fieldset class="choices">
      <legend>May</legend>
      {radio('read', 'only read')}
      {radio('tasks', 'read, and')}
      <div class="pair">
        {(Object.keys(TASKS) as Task[]).filter(can).map((task) => (
          <Check
            key={task}
            label={TASKS[task]}
            name="tasks"
            value={task}
            checked={may === 'tasks' && tasks.includes(task)}
            onChange={() => toggle(task)}
          />
        ))}
      </div>
      {can('team') && radio('full', 'everything but keys, also what later versions add')}
    </fieldset>
  );
}

function show(key = ''): void {
  const trial = `curl ${new URL('../v1/key', document.baseURI).href} -H "Authorization: Bearer ${key}"`;
  secret.set({ title: 'The new key', text: key, hint: ['To try it:', <Copied key="curl" text={trial} />] });
}

export function NewKey() {
  const send = async (form: FormData) => {
    const body = {
      name: textIn(form, 'name'),
      mode: textIn(form, 'mode') as typeof mode,
      scope: scopeIn(form),
      expires_at: expiryIn(form),
      networks: textIn(form, 'networks').match(/[^\s,]+/g),
    };
    const { data } = await api.POST('/v1/keys', { body });
    show(data?.data.key);
  };
  return (
    <Ask label="New key…" title="New key" verb="Create" tone="primary" send={send}>
      <Field label="Name" name="name" required maxLength={200} autoFocus placeholder="ERP bridge" />
      <Choices label="Mode" name="mode" begin={mode} of={{ live: 1, test: 2 }} />
      <May />
      <Field
        label="From"
        name="networks"
        placeholder="anywhere"
        hint="Networks that it is used from, such as 192.0.2.0/24."
      />
      <Choices label="Expires" name="expiry" begin="90 days" of={EXPIRIES} />
    </Ask>
  );
}

function KeyActions({ row }: { row: StoreKey }) {
  const path = { params: { path: { id: row.id } } };
  const name = alone(row.name);
  const isOff = row.status === 'DEACTIVATED';
  const use = row.last_used_at
    ? `It was last used on ${timeText(row.last_used_at)} and made ${count(row.requests_7_days, 'request')} this week.`
    : 'It was never used.';
  const roll = async (form: FormData) => {
    const body = { overlap_hours: numberIn(form, 'overlap', OVERLAPS), expires_at: expiryIn(form) };
    const { data } = await api.POST('/v1/keys/{id}/roll', { ...path, body });
    show(data?.data.key);
  };
  const change = async (verb: 'activate' | 'deactivate' | 'revoke', said: string) => {
    await api.POST(`/v1/keys/{id}/${verb}`, path);
    return `${name} ${said}.`;
  };
  return (
    <span class="acts">
      <Ask
        label="Roll…"
        title={`Roll ${name}`}
        verb="Make the new key"
        reason={row.successor_id ? 'It is rolled: use its successor.' : isOff ? 'Activate it first.' : undefined}
        text={`A new key with the same name, rights and networks. ${use}`}
        send={roll}
      >
        <Choices label="The old key still works for" name="overlap" begin="7 days" of={OVERLAPS} />
        <Choices label="The new key expires" name="expiry" begin="90 days" of={EXPIRIES} />
      </Ask>
      <Ask
        title={`${isOff ? 'Activate' : 'Deactivate'} ${name}?`}
        verb={isOff ? 'Activate' : 'Deactivate'}
        text={isOff ? 'It works again at once.' : `${use} It is refused until you activate it.`}
        send={() => (isOff ? change('activate', 'works again') : change('deactivate', 'is refused'))}
      />
      <Ask
        title={`Revoke ${name}?`}
        verb="Revoke"
        tone="danger"
        text={`${use} It stops at once, for good.`}
        send={() => change('revoke', 'is revoked')}
      />
    </span>
  );
}

const COLUMNS: readonly Column<StoreKey>[] = [
  {
    name: 'Name',
    cell: ({ name, created_by }) => (
      <>
        <span class="line">
          <bdi>{name || 'without a name'}</bdi>
        </span>
        {created_by.name && (
          <small class="line">
            by <bdi>{created_by.name}</bdi>
          </small>
        )}
      </>
    ),
  },
  {
    name: 'Key',
    cell: ({ mode, last_four, status }) => (
      <>
        <code>…{last_four}</code> <Badge state={mode} tone={mode === 'test' ? 'wait' : 'quiet'} />
        {status === 'DEACTIVATED' && <Badge state="off" tone="bad" />}
      </>
    ),
  },
  { name: 'May', cell: mayOf },
  { name: 'From', cell: ({ networks }) => networks.join(', ') || 'anywhere' },
  {
    name: 'Last used',
    isNumber: true,
    cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
  },
  {
    name: '7 days',
    isNumber: true,
    cell: ({ requests_7_days, refused_7_days }) => (
      <>
        {requests_7_days.toLocaleString()}
        {refused_7_days > 0 && <small class="bad">{refused_7_days.toLocaleString()} refused</small>}
      </>
    ),
  },
  { name: 'Expires', isNumber: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'never') },
];
const ACTIONS: Column<StoreKey> = { name: 'Actions', isNumber: true, cell: (row) => <KeyActions row={row} /> };

export function Keys() {
  const query = { limit: PAGE_SIZE, page: Number(useRoute().query.page ?? 1) };
  const list = useGet(['keys', query], () => api.GET('/v1/keys', { params: { query } }), { keep: true });
  const over = list.data?.data.filter(isOver) ?? [];
  return (
    <>
      <List
        label="Keys"
        noun="key"
        query={list}
        rows={list.data?.data.filter((row) => !isOver(row))}
        columns={[...COLUMNS, ACTIONS]}

        empty="No key works. A program of yours, such as an ERP, needs one."
        all={{}}
      />
      {over.length > 0 && (
        <details class="more foot">
          <summary>{count(over.length, 'key')} revoked or expired</summary>
          <Table label="Keys that are over" rows={over} columns={COLUMNS} />
        </details>
      )}
    </>
  );
}
